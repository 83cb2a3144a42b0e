/* The tokens of a C source, as far as gate.c and order.c need them: no values, no types. */
#ifndef CODEQUAKE_TOKENS_H
#define CODEQUAKE_TOKENS_H

#include <stddef.h>

enum token_kind { NAME, NUMBER, TEXT, MARK, DIRECTIVE };

struct token {
    enum token_kind kind;
    const char *start;
    size_t size;
    size_t partner; /* of a bracket: where the other one stands; else 0 */
};

struct tokens {
    const struct token *all;
    size_t count;
};

/* Split a source, comments left out; a DIRECTIVE is a whole line that begins with #.  Brackets
 * must match: false when they do not, or when there is no end to a comment or a text. */
int split_source(const char *source, struct tokens *tokens);

int token_is(const struct token *token, const char *text);

/* Whether a token is one of several texts; the list ends with a null pointer. */
int token_among(const struct token *token, const char *const *texts);

#endif
