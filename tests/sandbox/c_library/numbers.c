#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>

static char text[4096];
int main(void)
{
    size_t size = fread(text, 1, sizeof text - 1, stdin);
    text[size] = 0;
    for (int base = 0; base <= 36; base += base ? 5 : 2) {
        char *end;
        errno = 0; long a = strtol(text, &end, base); printf("%ld %d %d\n", a, (int)(end - text), errno);
        errno = 0; unsigned long b = strtoul(text, &end, base); printf("%lu %d %d\n", b, (int)(end - text), errno);
        errno = 0; long long c = strtoll(text, &end, base); printf("%lld %d %d\n", c, (int)(end - text), errno);
    }
    char *end;
    errno = 0; double d = strtod(text, &end); printf("%a %d %d\n", d, (int)(end - text), errno);
    errno = 0; float f = strtof(text, &end); printf("%a %d %d\n", f, (int)(end - text), errno);
    errno = 0; long double g = strtold(text, &end); printf("%La %d %d\n", g, (int)(end - text), errno);
    printf("%d %ld %a\n", atoi(text), atol(text), atof(text));
    return 0;
}
