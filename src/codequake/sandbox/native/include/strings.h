#ifndef CODEQUAKE_STRINGS_H
#define CODEQUAKE_STRINGS_H
#include <stddef.h>
int strcasecmp(const char *a, const char *b);
int strncasecmp(const char *a, const char *b, size_t size);
#endif
