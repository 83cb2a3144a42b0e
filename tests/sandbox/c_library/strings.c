#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>

static char a[4096], b[4096], c[9000];
static int sign(int n) { return (n > 0) - (n < 0); }
static int at(const char *p, const char *from) { return p ? (int)(p - from) : -1; }
int main(void)
{
    if (!fgets(a, sizeof a, stdin)) a[0] = 0;
    if (!fgets(b, sizeof b, stdin)) b[0] = 0;
    a[strcspn(a, "\n")] = 0; b[strcspn(b, "\n")] = 0;
    size_t n = strlen(b);
    printf("%zu %zu %zu %d %d %d\n", strlen(a), strnlen(a, 5), n, sign(strcmp(a, b)),
           sign(strncmp(a, b, 3)), sign(memcmp(a, b, 8)));
    printf("%d %d %d %d %d\n", at(strstr(a, b), a), at(strchr(a, b[0]), a), at(strrchr(a, b[0]), a),
           at(strpbrk(a, b), a), at(memchr(a, 'e', sizeof a), a));
    printf("%zu %zu\n", strspn(a, b), strcspn(a, b));
    strcpy(c, a); strcat(c, b); puts(c);
    strncpy(c, a, 6); strncat(c, b, 4); printf("%.20s\n", c);
    memmove(c + 2, c, 7); printf("%.9s\n", c);
    strcpy(c, a);
    for (char *p = strtok(c, b[0] ? b : " "); p; p = strtok(NULL, " ,")) printf("<%s>", p);
    for (int i = -1; i < 256; i++)
        printf("%d", !!isalpha(i) | !!isdigit(i) << 1 | !!isspace(i) << 2 | !!isupper(i) << 3
               | !!ispunct(i) << 4 | !!isxdigit(i) << 5 | !!iscntrl(i) << 6 | !!isprint(i) << 7);
    for (char *p = a; *p; p++) { int byte = (unsigned char)*p; printf("%c%c", toupper(byte), tolower(byte)); }
    char *copy = strdup(a), *part = strndup(a, 3);
    printf("\n%s|%s\n", copy, part);
    free(copy); free(part);
    return 0;
}
