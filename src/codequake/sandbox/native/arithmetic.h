/* The functions of arithmetic.c, which libtcc's code calls by names of its own; see symbols.c. */
#ifndef CODEQUAKE_ARITHMETIC_H
#define CODEQUAKE_ARITHMETIC_H

#ifdef __x86_64__

struct arguments;
void *program_va_arg(struct arguments *rest, int passed, int size, int align);
unsigned long program_double_to_unsigned(double number);
unsigned long program_float_to_unsigned(float number);
unsigned long program_long_to_unsigned(long double number);
long program_double_to_signed(double number);
long program_float_to_signed(float number);
long program_long_to_signed(long double number);
double program_unsigned_to_double(unsigned long number);
float program_unsigned_to_float(unsigned long number);
long double program_unsigned_to_long(unsigned long number);

#endif
#endif
