#ifndef CODEQUAKE_ORDER_H
#define CODEQUAKE_ORDER_H

#include "tokens.h"

/* Null, or why what a source does may depend on the order in which operands are evaluated, which C
 * leaves open and compilers choose differently. */
const char *depends_on_order(const struct tokens *tokens);

#endif
