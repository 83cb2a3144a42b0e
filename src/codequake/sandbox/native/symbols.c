/* Everything that a program can call or name, besides what it defines itself.
 *
 * What is not here is unknown to the linker, and the program is left to gcc.  Most are the C
 * library's own; those with state of their own, and those that use streams or the heap without
 * being given them, are ours.
 */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "arithmetic.h"
#include "library.h"
#include "worker.h"

/* stdio.h, string.h, ctype.h, stdlib.h, inttypes.h */
#define PLAIN(X) \
    X(fprintf) X(vfprintf) X(sprintf) X(snprintf) X(vsprintf) X(vsnprintf) X(fscanf) X(vfscanf) \
    X(sscanf) X(vsscanf) X(getc) X(fgetc) X(fgets) X(fputs) X(putc) X(fputc) X(fread) X(fwrite) \
    X(feof) X(ferror) X(clearerr) X(ungetc) X(memcpy) X(memmove) X(memset) X(memcmp) X(memchr) \
    X(strlen) X(strnlen) X(strcpy) X(strncpy) X(strcat) X(strncat) X(strcmp) X(strncmp) \
    X(strcasecmp) X(strncasecmp) X(strchr) X(strrchr) X(strstr) X(strspn) X(strcspn) X(strpbrk) \
    X(strtok_r) X(strcoll) X(strerror) X(stpcpy) X(strsep) X(isalnum) X(isalpha) X(isblank) \
    X(iscntrl) X(isdigit) X(isgraph) X(islower) X(isprint) X(ispunct) X(isspace) X(isupper) \
    X(isxdigit) X(tolower) X(toupper) X(abs) X(labs) X(llabs) X(div) X(ldiv) X(lldiv) X(atoi) \
    X(atol) X(atoll) X(atof) X(strtol) X(strtoul) X(strtoll) X(strtoull) X(strtod) X(strtof) \
    X(strtold) X(qsort) X(bsearch) X(imaxabs) X(imaxdiv) X(strtoimax) \
    X(strtoumax)

/* math.h */
#define MATHEMATICS(X) \
    X(acos) X(acosf) X(acosl) X(asin) X(asinf) X(asinl) X(atan) X(atanf) X(atanl) X(cos) X(cosf) \
    X(cosl) X(sin) X(sinf) X(sinl) X(tan) X(tanf) X(tanl) X(acosh) X(acoshf) X(acoshl) X(asinh) \
    X(asinhf) X(asinhl) X(atanh) X(atanhf) X(atanhl) X(cosh) X(coshf) X(coshl) X(sinh) X(sinhf) \
    X(sinhl) X(tanh) X(tanhf) X(tanhl) X(exp) X(expf) X(expl) X(exp2) X(exp2f) X(exp2l) X(expm1) \
    X(expm1f) X(expm1l) X(log) X(logf) X(logl) X(log10) X(log10f) X(log10l) X(log1p) X(log1pf) \
    X(log1pl) X(log2) X(log2f) X(log2l) X(logb) X(logbf) X(logbl) X(cbrt) X(cbrtf) X(cbrtl) \
    X(fabs) X(fabsf) X(fabsl) X(sqrt) X(sqrtf) X(sqrtl) X(erf) X(erff) X(erfl) X(erfc) X(erfcf) \
    X(erfcl) X(lgamma) X(lgammaf) X(lgammal) X(tgamma) X(tgammaf) X(tgammal) X(ceil) X(ceilf) \
    X(ceill) X(floor) X(floorf) X(floorl) X(nearbyint) X(nearbyintf) X(nearbyintl) X(rint) \
    X(rintf) X(rintl) X(round) X(roundf) X(roundl) X(trunc) X(truncf) X(truncl) X(atan2) \
    X(atan2f) X(atan2l) X(pow) X(powf) X(powl) X(hypot) X(hypotf) X(hypotl) X(fmod) X(fmodf) \
    X(fmodl) X(remainder) X(remainderf) X(remainderl) X(copysign) X(copysignf) X(copysignl) \
    X(nextafter) X(nextafterf) X(nextafterl) X(fdim) X(fdimf) X(fdiml) X(fmax) X(fmaxf) X(fmaxl) \
    X(fmin) X(fminf) X(fminl) X(fma) X(fmaf) X(fmal) X(frexp) X(frexpf) X(frexpl) X(ldexp) \
    X(ldexpf) X(ldexpl) X(modf) X(modff) X(modfl) X(scalbn) X(scalbnf) X(scalbnl) X(scalbln) \
    X(scalblnf) X(scalblnl) X(ilogb) X(ilogbf) X(ilogbl) X(lround) X(lroundf) X(lroundl) \
    X(llround) X(llroundf) X(llroundl) X(lrint) X(lrintf) X(lrintl) X(llrint) X(llrintf) \
    X(llrintl) X(remquo) X(remquof) X(remquol) X(nan) X(nanf) X(nanl) X(j0) X(j1) X(jn) \
    X(y0) X(y1) X(yn)

#define OF_LIBRARY(name) {#name, (const void *)(uintptr_t)(name)},

/* isnan and its like are macros in math.h; these are the functions that ours there call. */
static int classify(double number)
{
    return fpclassify(number);
}

static int classify_float(float number)
{
    return fpclassify(number);
}

static int classify_long(long double number)
{
    return fpclassify(number);
}

static int has_sign(long double number)
{
    return signbit(number) != 0;
}

static const float not_a_number = NAN;

const struct symbol library_symbols[] = {
    PLAIN(OF_LIBRARY)
    MATHEMATICS(OF_LIBRARY)
    {"codequake_nan", &not_a_number},
    {"codequake_classify", (const void *)classify},
    {"codequake_classify_float", (const void *)classify_float},
    {"codequake_classify_long", (const void *)classify_long},
    {"codequake_has_sign", (const void *)has_sign},
    {"codequake_errno", (const void *)program_errno},
    {"codequake_assert_fail", (const void *)program_assert_fail},
    {"stdin", &program_stdin},
    {"stdout", &program_stdout},
    {"stderr", &program_stderr},
    {"printf", (const void *)program_printf},
    {"vprintf", (const void *)program_vprintf},
    {"scanf", (const void *)program_scanf},
    {"vscanf", (const void *)program_vscanf},
    {"getchar", (const void *)program_getchar},
    {"putchar", (const void *)program_putchar},
    {"puts", (const void *)program_puts},
    {"perror", (const void *)program_perror},
    {"fflush", (const void *)program_fflush},
    {"setvbuf", (const void *)program_setvbuf},
    {"setbuf", (const void *)program_setbuf},
    {"getline", (const void *)program_getline},
    {"malloc", (const void *)heap_malloc},
    {"calloc", (const void *)heap_calloc},
    {"realloc", (const void *)heap_realloc},
    {"free", (const void *)heap_free},
    {"rand", (const void *)program_rand},
    {"srand", (const void *)program_srand},
    {"exit", (const void *)program_exit},
    {"atexit", (const void *)program_atexit},
    {"abort", (const void *)program_abort},
    {"strtok", (const void *)program_strtok},
    {"strdup", (const void *)program_strdup},
    {"strndup", (const void *)program_strndup},
#ifdef __x86_64__
    {"__va_arg", (const void *)program_va_arg},
    {"__fixunsdfdi", (const void *)program_double_to_unsigned},
    {"__fixunssfdi", (const void *)program_float_to_unsigned},
    {"__fixunsxfdi", (const void *)program_long_to_unsigned},
    {"__fixdfdi", (const void *)program_double_to_signed},
    {"__fixsfdi", (const void *)program_float_to_signed},
    {"__fixxfdi", (const void *)program_long_to_signed},
    {"__floatundidf", (const void *)program_unsigned_to_double},
    {"__floatundisf", (const void *)program_unsigned_to_float},
    {"__floatundixf", (const void *)program_unsigned_to_long},
#endif
    {NULL, NULL},
};
