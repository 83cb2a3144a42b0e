/* Sources whose meaning depends on the order in which operands are evaluated.
 *
 * gcc evaluates the arguments of a call from the right, libtcc from the left: `f(next(), next())`
 * means two things.  This looks at the text alone, and rather too carefully: a source that it sees
 * nothing in has no such order; one that it refuses may be fine, and is left to gcc.
 */
#include "effects.h"
#include "order.h"

static const char *const headers[] = {"if", "while", "for", "switch", NULL};

/* -- arguments of one call -------------------------------------------------------------------- */

static int has_effect(size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        if (is_effect(i))
            return 1;
    return 0;
}

/* Whether what stands at a place may be written to there: its address is taken, or it changes. */
static int may_change(size_t i)
{
    static const char *const address[] = {"&", "++", "--", NULL};
    return token_among(&all[i - 1], address) || token_among(&all[i + 1], steps)
        || token_among(&all[i + 1], assignments);
}

/* Whether anything in another argument may be what an effect here changes. */
static int may_meet(size_t from, size_t to, size_t other_from, size_t other_to)
{
    for (size_t i = other_from; i < other_to; i++) {
        const int reaches = is_mark(i, "->") || is_mark(i, "[")
            || (is_mark(i, "*") && all[i - 1].kind == MARK && !is_mark(i - 1, ")"));
        if (reaches || is_shared(&all[i]))
            return 1;
        for (size_t k = from; k < to && all[i].kind == NAME; k++)
            if (same_name(&all[k], &all[i]) && may_change(k))
                return 1;
    }
    return 0;
}

/* Look at the arguments between two brackets. */
static int arguments_meet(size_t open)
{
    size_t starts[64], n = 0;
    const size_t close = all[open].partner;
    starts[n++] = open + 1;
    for (size_t i = open + 1; i < close; i++) {
        if (all[i].partner > i)
            i = all[i].partner;
        else if (is_mark(i, ",") && n < 63)
            starts[n++] = i + 1;
    }
    starts[n] = close + 1;
    if (n >= 63)
        return 1;
    for (size_t a = 0; a < n; a++) {
        if (!has_effect(starts[a], starts[a + 1] - 1))
            continue;
        for (size_t b = 0; b < n; b++)
            if (a != b
                && (has_effect(starts[b], starts[b + 1] - 1)
                    || may_meet(starts[a], starts[a + 1] - 1, starts[b], starts[b + 1] - 1)))
                return 1;
    }
    return 0;
}

/* -- one expression --------------------------------------------------------------------------- */

/* Whether a token ends an expression, or orders what stands on its two sides. */
static int separates(size_t i)
{
    static const char *const marks[] = {";", "{", "}", "&&", "||", "?", ":", ",", NULL};
    if (all[i].kind == DIRECTIVE || token_is(&all[i], "else") || token_is(&all[i], "do"))
        return 1;
    if (is_mark(i, ")") && all[i].partner)
        return token_among(&all[all[i].partner - 1], headers);
    return all[i].kind == MARK && token_among(&all[i], marks);
}

/* Whether a variable that all functions see is read outside of the arguments of the calls. */
static int reads_shared(size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        if (is_call(i) && call_has_effects(i))
            i = all[i + 1].partner;
        else if (is_shared(&all[i]) && !is_mark(i + 1, "="))
            return 1;
    }
    return 0;
}

/* In a piece without order: a name that is stepped and used again, two calls with effects side by
 * side, or such a call of the program's own beside a variable that all functions see. */
static int piece_meets(size_t from, size_t to)
{
    size_t calls = 0, own = 0, inside = from;
    for (size_t i = from; i < to; i++) {
        if (is_call(i) && call_has_effects(i) && i >= inside) {
            calls++;
            own += (size_t)is_own(i);
            inside = all[i + 1].partner; /* calls in its arguments come first, in any compiler */
        }
        if (all[i].kind != MARK || !token_among(&all[i], steps))
            continue;
        const size_t name = stepped(i);
        for (size_t k = from; k < to && name < to; k++)
            if (k != name && same_name(&all[k], &all[name]))
                return 1;
    }
    return calls > 1 || (own && reads_shared(from, to));
}

const char *depends_on_order(const struct tokens *tokens)
{
    find_effects(tokens);
    if (has_odd_macro)
        return "macros with effects";
    for (size_t k = 0; k < function_count; k++) {
        size_t from = functions[k].open + 1;
        for (size_t i = from; functions[k].open && i <= functions[k].close; i++) {
            if (is_call(i) && arguments_meet(i + 1))
                return "arguments with effects on each other";
            if (!separates(i))
                continue;
            if (piece_meets(from, i))
                return "operands with effects on each other";
            from = i + 1;
        }
    }
    return NULL;
}
