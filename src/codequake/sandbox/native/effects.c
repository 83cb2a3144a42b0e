/* What in a source may change something: assignments, ++ and --, and calls of functions that do.
 *
 * Functions of the program have no effects when they call none that has, define nothing static, and
 * write to nothing but names of their own.
 */
#include <string.h>

#include "effects.h"
#include "worker.h"

#define MOST_NAMES 512

const struct token *all;
static size_t count;
struct function functions[MOST_NAMES];
size_t function_count;
static struct token shared_names[MOST_NAMES]; /* of variables outside of functions */
static size_t shared_count;
int has_odd_macro;

/* Functions without effects; those of mathematics for float and long double are meant, too. */
static const char *const pure[] = {
    "acos", "asin", "atan", "cos", "sin", "tan", "acosh", "asinh", "atanh", "cosh", "sinh",
    "tanh", "exp", "exp2", "expm1", "log", "log10", "log1p", "log2", "logb", "cbrt", "fabs",
    "sqrt", "erf", "erfc", "tgamma", "ceil", "floor", "nearbyint", "rint", "round", "trunc",
    "atan2", "pow", "hypot", "fmod", "remainder", "copysign", "nextafter", "fdim", "fmax",
    "fmin", "fma", "ldexp", "scalbn", "ilogb", "lround", "llround", "lrint", "llrint", "abs",
    "labs", "llabs", "atoi", "atol", "atoll", "atof", "isnan", "isinf", "isfinite", "isnormal",
    "signbit", "fpclassify", "isgreater", "isless", "strlen", "strnlen", "strcmp", "strncmp",
    "strcasecmp", "strncasecmp", "strcoll", "strchr", "strrchr", "strstr", "strpbrk", "strspn",
    "strcspn", "memcmp", "memchr", "isalnum", "isalpha", "isblank", "iscntrl", "isdigit",
    "isgraph", "islower", "isprint", "ispunct", "isspace", "isupper", "isxdigit", "tolower",
    "toupper", "feof", "ferror", "offsetof", "_Generic", "_Static_assert", NULL};
static const char *const no_calls[] = {"if", "while", "for", "switch", "return", "sizeof",
                                       "_Alignof", "case", "else", "do", NULL};
const char *const assignments[] = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=",
                                          "<<=", ">>=", NULL};
const char *const steps[] = {"++", "--", NULL};

int is_mark(size_t i, const char *text)
{
    return i < count && all[i].kind == MARK && token_is(&all[i], text);
}

int same_name(const struct token *a, const struct token *b)
{
    return a->kind == NAME && b->kind == NAME && a->size == b->size
        && memcmp(a->start, b->start, a->size) == 0;
}

/* By name, or by a pointer: `(*f)(`, `table[i](`. */
int is_call(size_t i)
{
    if (!is_mark(i + 1, "("))
        return 0;
    if (all[i].kind == NAME)
        return !token_among(&all[i], no_calls);
    return is_mark(i, "]") || (is_mark(i, ")") && is_mark(all[i].partner + 1, "*"));
}

/* Whether a name means something that functions elsewhere may change. */
int is_shared(const struct token *name)
{
    if (token_is(name, "errno") || token_is(name, "stdin"))
        return 1;
    for (size_t i = 0; i < shared_count; i++)
        if (same_name(&shared_names[i], name))
            return 1;
    return 0;
}

static int is_pure(const struct token *name)
{
    struct token stem = *name;
    stem.size--;
    return token_among(name, pure)
        || (strchr("fl", name->start[stem.size]) && token_among(&stem, pure));
}

int call_has_effects(size_t i)
{
    if (is_pure(&all[i]))
        return 0;
    for (size_t k = 0; k < function_count; k++)
        if (same_name(&functions[k].name, &all[i]))
            return functions[k].has_effects;
    return 1;
}

int is_effect(size_t i)
{
    if (is_call(i))
        return call_has_effects(i);
    return all[i].kind == MARK
        && (token_among(&all[i], assignments) || token_among(&all[i], steps));
}

/* -- what the program defines ----------------------------------------------------------------- */

static void note_function(struct token name, size_t open, size_t close)
{
    if (function_count == MOST_NAMES)
        doubt("defines very much");
    functions[function_count++] = (struct function){name, open, close, 0};
}

static void note_shared(size_t i)
{
    const int ends = is_mark(i + 1, ";") || is_mark(i + 1, ",") || is_mark(i + 1, "=")
        || is_mark(i + 1, "[");
    if (!ends || all[i].kind != NAME)
        return;
    if (shared_count == MOST_NAMES)
        doubt("defines very much");
    shared_names[shared_count++] = all[i];
}

/* Effects in the text of a macro, and the most of them in one piece of it. */
static size_t effects_of_text(const struct tokens *text, size_t *most)
{
    static const char *const ends[] = {";", "{", "}", "&&", "||", "?", ":", NULL};
    size_t here = 0, in_all = 0;
    for (size_t i = 0; i < text->count; i++) {
        const struct token *token = &text->all[i];
        const int called = token->kind == NAME && i + 1 < text->count
            && token_is(token + 1, "(") && !token_among(token, no_calls)
            && !is_pure(token);
        const int changed = token->kind == MARK
            && (token_among(token, assignments) || token_among(token, steps));
        here = token_among(token, ends) ? 0 : here + (size_t)(called || changed);
        in_all += (size_t)(called || changed);
        if (here > *most)
            *most = here;
    }
    return in_all;
}

/* A macro with a list of arguments and no effects is like a function with none.  One without a
 * list that hides an effect cannot be seen where it is used, and one that has two in one piece
 * may order them. */
static void note_macro(const struct token *line)
{
    struct tokens text;
    size_t first = 2, most = 0;
    char *copy = strndup(line->start + 1, line->size - 1);
    if (!copy || !split_source(copy, &text)) {
        has_odd_macro = 1;
        return;
    }
    if (text.count < 2 || !token_is(&text.all[0], "define"))
        return;
    const struct token name = text.all[1];
    const int has_list = name.start[name.size] == '(';
    if (has_list)
        first = text.all[2].partner + 1;
    const struct tokens body = {text.all + first, text.count - first};
    const size_t effects = effects_of_text(&body, &most);
    if (most > 1 || (effects && !has_list))
        has_odd_macro = 1;
    if (!effects && has_list)
        note_function(name, 0, 0);
}

/* Find functions and variables at the top of the source, and macros. */
static void find_definitions(void)
{
    int in_typedef = 0;
    for (size_t i = 0; i < count; i++) {
        if (all[i].kind == DIRECTIVE)
            note_macro(&all[i]);
        if (token_is(&all[i], "typedef"))
            in_typedef = 1;
        if (is_mark(i, "(") && i && all[i - 1].kind == NAME && is_mark(all[i].partner + 1, "{")) {
            const size_t open = all[i].partner + 1;
            note_function(all[i - 1], open, all[open].partner);
            i = open;
        } else if (is_mark(i, "(") || is_mark(i, "[")) {
            i = all[i].partner;
        } else if (!in_typedef) {
            note_shared(i);
        }
        if (is_mark(i, "{")) {
            for (size_t k = i; k < all[i].partner; k++)
                if (all[k].kind == DIRECTIVE)
                    note_macro(&all[k]);
            i = all[i].partner;
        }
        if (is_mark(i, ";"))
            in_typedef = 0;
    }
}

/* Where the operand of a step stands: before it, or after it. */
size_t stepped(size_t i)
{
    const int behind = (all[i - 1].kind == NAME && !token_among(&all[i - 1], no_calls))
        || is_mark(i - 1, "]") || is_mark(i - 1, ")");
    return behind ? i - 1 : i + 1;
}

/* Whether a name begins as an array between two places: after a type, before its size. */
static int is_array_since(size_t from, size_t to, const struct token *name)
{
    for (size_t i = from + 1; i < to; i++)
        if (same_name(&all[i], name) && is_mark(i + 1, "[") && all[i - 1].kind == NAME
            && !token_among(&all[i - 1], no_calls))
            return 1;
    return 0;
}

/* Whether an assignment or a step writes to something else than a local name of a body. */
static int writes_far(size_t open, size_t i)
{
    size_t name = token_among(&all[i], steps) ? stepped(i) : i - 1;
    const int behind = name < i;
    int indexed = 0;
    for (; behind && is_mark(name, "]"); indexed = 1)
        name = all[name].partner - 1;
    if (all[name].kind != NAME || is_shared(&all[name]))
        return 1;
    if (!behind)
        return is_mark(name + 1, "[") || is_mark(name + 1, "->") || is_mark(name + 1, ".");
    if (is_mark(name - 1, "->") || is_mark(name - 1, "."))
        return 1;
    if (indexed)
        return !is_array_since(open, i, &all[name]);
    /* `int *p = q` begins a name; `*p = q` writes through one */
    return is_mark(name - 1, "*")
        && (all[name - 2].kind != NAME || token_among(&all[name - 2], no_calls));
}

static int body_has_effects(const struct function *function)
{
    for (size_t i = function->open + 1; i < function->close; i++) { /* none of a macro */
        if (token_is(&all[i], "static") || token_is(&all[i], "goto"))
            return 1;
        if (is_call(i) && call_has_effects(i))
            return 1;
        if (!is_call(i) && is_effect(i) && writes_far(function->open, i))
            return 1;
    }
    return 0;
}

/* Effects spread to callers until nothing changes. */
static void spread_effects(void)
{
    for (int changed = 1; changed;) {
        changed = 0;
        for (size_t k = 0; k < function_count; k++)
            if (!functions[k].has_effects && body_has_effects(&functions[k]))
                changed = functions[k].has_effects = 1;
    }
}

/* Whether a call is of a function of the program, which may write to what all functions see. */
int is_own(size_t i)
{
    for (size_t k = 0; k < function_count; k++)
        if (same_name(&functions[k].name, &all[i]))
            return 1;
    return 0;
}

void find_effects(const struct tokens *tokens)
{
    all = tokens->all;
    count = tokens->count;
    find_definitions();
    spread_effects();
}
