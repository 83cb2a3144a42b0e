/* What libtcc's code calls for what the processor has no one instruction for. */
#include "arithmetic.h"

#ifdef __x86_64__

#include <stdarg.h>
#include <string.h>

/* How a variable argument is passed, in libtcc's words. */
enum passed { IN_GENERAL, IN_VECTOR, IN_MEMORY };

struct arguments { /* as the x86-64 ABI has it */
    unsigned general, vector;
    char *memory, *saved;
};

/* The place of the next variable argument of a kind, size and alignment. */
void *program_va_arg(struct arguments *rest, int passed, int size, int align)
{
    size = (size + 7) & -8;
    if (passed == IN_GENERAL && rest->general + (unsigned)size <= 48) {
        rest->general += (unsigned)size;
        return rest->saved + rest->general - size;
    }
    if (passed == IN_VECTOR && rest->vector < 128 + 48) {
        rest->vector += 16;
        if (size == 8)
            return rest->saved + rest->vector - 16;
        if (rest->vector < 128 + 48) { /* two registers: bring the halves together */
            char *place = rest->saved + rest->vector - 16;
            memcpy(place + 8, place + 16, 8);
            rest->vector += 16;
            return place;
        }
    }
    const unsigned long step = (unsigned long)align;
    rest->memory = (char *)(((unsigned long)rest->memory + step - 1) & -step);
    rest->memory += size;
    return rest->memory - size;
}

unsigned long program_double_to_unsigned(double number)
{
    return (unsigned long)number;
}

unsigned long program_float_to_unsigned(float number)
{
    return (unsigned long)number;
}

unsigned long program_long_to_unsigned(long double number)
{
    return (unsigned long)number;
}

long program_double_to_signed(double number)
{
    return (long)number;
}

long program_float_to_signed(float number)
{
    return (long)number;
}

long program_long_to_signed(long double number)
{
    return (long)number;
}

double program_unsigned_to_double(unsigned long number)
{
    return (double)number;
}

float program_unsigned_to_float(unsigned long number)
{
    return (float)number;
}

long double program_unsigned_to_long(unsigned long number)
{
    return (long double)number;
}

#endif
