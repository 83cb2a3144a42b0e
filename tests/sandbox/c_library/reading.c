/* The same on standard input, step by step until its end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>

int main(void)
{
    int kind = 0, byte;
    char line[64], word[64];
    while (!feof(stdin) && kind < 200) {
        long n = 0;
        double x = 0;
        switch (kind++ % 7) {
        case 0: { int found = scanf("%ld", &n); printf("d %d %ld\n", found, n); break; }
        case 1: byte = getchar(); printf("c %d\n", byte); break;
        case 2: if (fgets(line, 20, stdin)) printf("l [%s]\n", line); else puts("l none"); break;
        case 3: { int found = scanf("%lf", &x); printf("f %d %a\n", found, x); break; }
        case 4: byte = getchar(); printf("u %d\n", byte);
                if (byte != EOF) { ungetc('z', stdin); byte = getchar(); printf("%d\n", byte); }
                break;
        case 5: { word[0] = 0; int found = scanf("%10s", word); printf("s %d [%s]\n", found, word); break; }
        default: { size_t size = fread(word, 1, 3, stdin); printf("r %d [%.*s]\n", (int)size, (int)size, word); }
        }
    }
    byte = getchar();
    printf("end %d %d %d\n", byte, feof(stdin) != 0, ferror(stdin) != 0);
    return 0;
}
