/* A number in many formats; its bits come as an integer, so that every double can be tried. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>

int main(void)
{
    unsigned long long bits;
    int width, digits;
    static const char *const reals[] = {"%f", "%e", "%g", "%a", "%G", "%E", "%+f", "% g", "%#g", "%015.3f", "%-20.2e|"};
    static const char *const wholes[] = {"%lld", "%llx", "%llo", "%llu", "%+lld", "%#llx", "%20lld", "%-20lld|", "%020lld", "%.12lld"};
    while (scanf("%llu %d %d", &bits, &width, &digits) == 3) {
        double x;
        memcpy(&x, &bits, sizeof x);
        if (isnan(x)) { puts("nan"); continue; }
        for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) { printf(reals[i], x); puts(""); }
        for (size_t i = 0; i < sizeof wholes / sizeof *wholes; i++) { printf(wholes[i], bits); puts(""); }
        printf("%*.*f|%*.*g|%-*d|%.*s|%c|%hd|%hhu|%i\n", width, digits, x, width, digits, x, width,
               digits, digits, "some text", 'a' + digits % 26, (int)bits, (unsigned)bits, (int)bits);
        char text[40];
        int all = snprintf(text, sizeof text, "%.*f", digits, x);
        printf("%d [%s]\n", all, text);
    }
    return 0;
}
