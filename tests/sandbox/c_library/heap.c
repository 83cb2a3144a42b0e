/* Blocks are taken, grown and freed as the input says; what they hold must stay theirs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>

static unsigned char *blocks[16];
static size_t sizes[16];
static int by_value(const void *a, const void *b) { int x = *(const int *)a, y = *(const int *)b; return (x > y) - (x < y); }
int main(void)
{
    int what, which, size, turn = 0;
    while (scanf("%d %d %d", &what, &which, &size) == 3) {
        turn++;
        if (what == 0) { free(blocks[which]); blocks[which] = malloc(size); sizes[which] = size; memset(blocks[which], turn, size); }
        if (what == 1) { free(blocks[which]); blocks[which] = calloc(size, 2); sizes[which] = 2 * size; }
        if (what == 2) {
            size_t old = sizes[which];
            blocks[which] = realloc(blocks[which], size + 1); sizes[which] = size + 1;
            if (sizes[which] > old) memset(blocks[which] + old, turn, sizes[which] - old);
        }
        if (what == 3) { free(blocks[which]); blocks[which] = NULL; sizes[which] = 0; }
        unsigned sum = 0;
        for (int i = 0; i < 16; i++) for (size_t k = 0; k < sizes[i]; k++) sum = sum * 31 + blocks[i][k];
        printf("%u ", sum);
    }
    int n = 0, *all = NULL;
    for (int i = 0; i < 16; i++) { all = realloc(all, (n + 2) * sizeof *all); all[n++] = (int)sizes[i] - rand() % 9; }
    qsort(all, n, sizeof *all, by_value);
    for (int i = 0; i < n; i++) printf("%d ", all[i]);
    int key = all[3], *found = bsearch(&key, all, n, sizeof *all, by_value);
    printf("%d\n", found ? *found : -1);
    return 0;
}
