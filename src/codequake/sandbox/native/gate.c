/* Sources that are left to gcc from the start: whatever libtcc may see otherwise than gcc does.
 *
 * - Names with two underscores: attributes, built-in functions, macros of one compiler.
 * - Assembly and pragmas.
 * - A main that is no int: what it leaves in the register is the exit code, and differs.
 * - What depends on the order in which operands are evaluated; see order.c.
 */
#define _GNU_SOURCE
#include <string.h>

#include "order.h"
#include "tokens.h"
#include "worker.h"

static int holds(const struct token *token, const char *text)
{
    return memmem(token->start, token->size, text, strlen(text)) != NULL;
}

static const char *refuse_token(const struct token *token)
{
    static const char *const words[] = {"asm", "_Pragma", NULL};
    if (token->kind == DIRECTIVE && (holds(token, "pragma") || holds(token, "##")))
        return "pragmas and pasted tokens";
    if ((token->kind == NAME || token->kind == DIRECTIVE) && holds(token, "__"))
        return "names of the compiler's own";
    if (token->kind == DIRECTIVE && holds(token, "asm"))
        return "assembly";
    if (token->kind == NAME && token_among(token, words))
        return "assembly and pragmas";
    return NULL;
}

/* `main (` must come after `int`, where it is defined or declared. */
static const char *refuse_main(const struct tokens *tokens)
{
    for (size_t i = 0; i + 1 < tokens->count; i++)
        if (token_is(&tokens->all[i], "main") && token_is(&tokens->all[i + 1], "("))
            return i && token_is(&tokens->all[i - 1], "int") ? NULL : "a main that is no int";
    return "no main";
}

const char *refuse_source(const char *source)
{
    struct tokens tokens;
    const char *why = NULL;
    if (!split_source(source, &tokens))
        return "brackets that do not match";
    for (size_t i = 0; i < tokens.count && !why; i++)
        why = refuse_token(&tokens.all[i]);
    if (!why)
        why = refuse_main(&tokens);
    return why ? why : depends_on_order(&tokens);
}
