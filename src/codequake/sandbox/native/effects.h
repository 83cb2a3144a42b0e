/* What effects.c tells order.c about the tokens of a source, by their numbers. */
#ifndef CODEQUAKE_EFFECTS_H
#define CODEQUAKE_EFFECTS_H

#include "tokens.h"

struct function {
    struct token name;
    size_t open, close; /* the brackets of its body; 0 for a macro */
    int has_effects;
};

extern const struct token *all;
extern struct function functions[];
extern size_t function_count;
extern int has_odd_macro; /* whether a macro hides effects from whoever reads its use */
extern const char *const assignments[], *const steps[];

void find_effects(const struct tokens *tokens);
int is_mark(size_t i, const char *text);
int same_name(const struct token *a, const struct token *b);
int is_call(size_t i);
int is_effect(size_t i);
int call_has_effects(size_t i);

/* Whether a name means something that functions elsewhere may change. */
int is_shared(const struct token *name);

/* Whether a call is of a function of the program, which may write to what all functions see. */
int is_own(size_t i);

/* Where the operand of a step stands: before it, or after it. */
size_t stepped(size_t i);

#endif
