#ifndef CODEQUAKE_UNISTD_H
#define CODEQUAKE_UNISTD_H
/* For programs that include it and call nothing of it. */
#include <stddef.h>
#endif
