#ifndef CODEQUAKE_TIME_H
#define CODEQUAKE_TIME_H
#include <stddef.h>
typedef long time_t;
typedef long clock_t;
#define CLOCKS_PER_SEC 1000000L
time_t time(time_t *place);
clock_t clock(void);
double difftime(time_t a, time_t b);
#endif
