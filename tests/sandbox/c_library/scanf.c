/* Every conversion of scanf on the same text, each from its beginning and to its end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>

static char text[4096];
static const char *const formats[] = {"%d%n", "%i%n", "%u%n", "%x%n", "%o%n", "%ld%n", "%hd%n",
    "%hhd%n", "%lld%n", " %d%n", "%3d%n", "%*d%d%n", "%d,%d%n", "%d %d%n", "%%%d%n"};
static const char *const reals[] = {"%lf%n", "%le%n", "%4lf%n", " %lg%n", "%*lf%lf%n"};
static const char *const words[] = {"%s%n", "%5s%n", "%[a-z]%n", "%[^,\n]%n", "%*s%s%n", " %[0-9.]%n"};
int main(void)
{
    size_t size = fread(text, 1, sizeof text - 1, stdin);
    text[size] = 0;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        long long a = 0, b = 0;
        int n = -1, m = -1;
        int found = sscanf(text, formats[i], &a, &b, &n, &m);
        printf("%d %lld %lld %d\n", found, a, b, n);
    }
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
        double a = 0;
        int n = -1;
        int found = sscanf(text, reals[i], &a, &n);
        printf("%d %a %d\n", found, a, n);
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char word[4096] = "";
        int n = -1;
        int found = sscanf(text, words[i], word, &n);
        printf("%d [%s] %d\n", found, word, n);
    }
    return 0;
}
