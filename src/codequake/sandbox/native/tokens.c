/* Split a C source into tokens. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tokens.h"
#include "worker.h"

/* What is being split now; the arrays live as long as the process. */
static struct token *all;
static size_t count, room;

static void add(enum token_kind kind, const char *start, const char *end)
{
    if (count == room) {
        room = room ? 2 * room : 1024;
        all = realloc(all, room * sizeof *all);
        if (!all)
            doubt("no memory for the tokens");
    }
    all[count++] = (struct token){kind, start, (size_t)(end - start), 0};
}

/* Behind a comment that begins here; null when it has no end. */
static const char *skip_comment(const char *at)
{
    if (at[1] == '*') {
        const char *end = strstr(at + 2, "*/");
        return end ? end + 2 : NULL;
    }
    while (*at && *at != '\n')
        at += *at == '\\' && at[1] ? 2 : 1;
    return at;
}

/* Behind a text in quotes. */
static const char *skip_text(const char *at)
{
    const char quote = *at++;
    while (*at != quote) {
        if (!*at || *at == '\n')
            return NULL;
        at += *at == '\\' && at[1] ? 2 : 1;
    }
    return at + 1;
}

/* Behind a directive, its comments and its spliced lines too. */
static const char *skip_line(const char *at)
{
    while (at && *at && *at != '\n') {
        if (*at == '/' && at[1] == '*')
            at = skip_comment(at);
        else if (*at == '\\' && at[1])
            at += 2;
        else
            at++;
    }
    return at;
}

static int is_name_byte(char byte)
{
    return isalnum((unsigned char)byte) || byte == '_' || byte == '$' || (byte & 0x80);
}

static int is_exponent_sign(const char *at)
{
    return (*at == '+' || *at == '-') && strchr("eEpP", at[-1]);
}

/* The longest mark of two or three bytes that begins here, or one byte. */
static const char *skip_mark(const char *at)
{
    static const char *const marks[] = {"<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=",
                                        ">=",  "==",  "!=",  "&&", "||", "*=", "/=", "%=", "+=",
                                        "-=",  "&=",  "^=",  "|=", NULL};
    for (const char *const *mark = marks; *mark; mark++)
        if (strncmp(at, *mark, strlen(*mark)) == 0)
            return at + strlen(*mark);
    return at + 1;
}

static const char *add_token(const char *at)
{
    const char *start = at;
    if (*at == '#') {
        at = skip_line(at);
        if (at)
            add(DIRECTIVE, start, at);
    } else if (*at == '"' || *at == '\'') {
        at = skip_text(at);
        if (at)
            add(TEXT, start, at);
    } else if (isdigit((unsigned char)*at) || (*at == '.' && isdigit((unsigned char)at[1]))) {
        while (is_name_byte(*at) || *at == '.' || is_exponent_sign(at))
            at++;
        add(NUMBER, start, at);
    } else if (is_name_byte(*at)) {
        while (is_name_byte(*at))
            at++;
        add(NAME, start, at);
    } else {
        at = skip_mark(at);
        add(MARK, start, at);
    }
    return at;
}

/* Tell each bracket where the other one is. */
static int match_brackets(void)
{
    size_t open[256], depth = 0;
    for (size_t i = 0; i < count; i++) {
        if (all[i].kind != MARK || all[i].size != 1)
            continue;
        const char byte = *all[i].start;
        if (byte == '(' || byte == '[' || byte == '{') {
            if (depth == sizeof open / sizeof *open)
                return 0;
            open[depth++] = i;
        } else if (byte == ')' || byte == ']' || byte == '}') {
            const char wanted = byte == ')' ? '(' : byte == ']' ? '[' : '{';
            if (!depth || *all[open[depth - 1]].start != wanted)
                return 0;
            all[i].partner = open[--depth];
            all[all[i].partner].partner = i;
        }
    }
    return depth == 0;
}

int split_source(const char *source, struct tokens *tokens)
{
    const char *at = source;
    all = NULL;
    count = room = 0;
    while (at && *at) {
        /* a spliced line is one, in a macro too */
        if (isspace((unsigned char)*at) || (*at == '\\' && at[1] == '\n'))
            at++;
        else if (*at == '/' && (at[1] == '*' || at[1] == '/'))
            at = skip_comment(at);
        else
            at = add_token(at);
    }
    tokens->all = all;
    tokens->count = count;
    return at && match_brackets();
}

int token_is(const struct token *token, const char *text)
{
    return strlen(text) == token->size && memcmp(text, token->start, token->size) == 0;
}

int token_among(const struct token *token, const char *const *texts)
{
    for (; *texts; texts++)
        if (token_is(token, *texts))
            return 1;
    return 0;
}
