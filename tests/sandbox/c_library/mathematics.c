#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>

int main(void)
{
    unsigned long long bits, more;
    while (scanf("%llu %llu", &bits, &more) == 2) {
        double x, y;
        memcpy(&x, &bits, sizeof x); memcpy(&y, &more, sizeof y);
        double r[] = {sqrt(x), cbrt(x), sin(x), cos(x), tan(x), asin(x), acos(x), atan(x), sinh(x), cosh(x),
            tanh(x), exp(x), exp2(x), expm1(x), log(x), log2(x), log10(x), log1p(x), floor(x), ceil(x), round(x),
            trunc(x), rint(x), fabs(x), erf(x), tgamma(x), pow(x, y), atan2(x, y), hypot(x, y), fmod(x, y),
            fmax(x, y), fmin(x, y), fdim(x, y), copysign(x, y), fma(x, y, x), sqrtf(x), powf(x, y), sinl(x)};
        for (size_t i = 0; i < sizeof r / sizeof *r; i++) printf("%a ", isnan(r[i]) ? 12345.0 : r[i]);
        int e = 0; double whole = 0, part = frexp(x, &e), rest = modf(x, &whole);
        printf("%d %d %d %d %d\n", !!isnan(x), !!isinf(x), !!isfinite(x), !!signbit(x), fpclassify(x));
        if (isfinite(x)) printf("%a %d %a %a %a\n", part, e, whole, rest, ldexp(x, 3));
    }
    return 0;
}
