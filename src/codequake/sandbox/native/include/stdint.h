#ifndef CODEQUAKE_STDINT_H
#define CODEQUAKE_STDINT_H
typedef signed char int8_t, int_least8_t, int_fast8_t;
typedef short int16_t, int_least16_t;
typedef int int32_t, int_least32_t;
typedef long int64_t, int_least64_t, int_fast16_t, int_fast32_t, int_fast64_t;
typedef long intptr_t, intmax_t;
typedef unsigned char uint8_t, uint_least8_t, uint_fast8_t;
typedef unsigned short uint16_t, uint_least16_t;
typedef unsigned uint32_t, uint_least32_t;
typedef unsigned long uint64_t, uint_least64_t, uint_fast16_t, uint_fast32_t, uint_fast64_t;
typedef unsigned long uintptr_t, uintmax_t;
#define INT8_MIN (-128)
#define INT8_MAX 127
#define UINT8_MAX 255
#define INT16_MIN (-32767 - 1)
#define INT16_MAX 32767
#define UINT16_MAX 65535
#define INT32_MIN (-2147483647 - 1)
#define INT32_MAX 2147483647
#define UINT32_MAX 4294967295U
#define INT64_MIN (-9223372036854775807L - 1)
#define INT64_MAX 9223372036854775807L
#define UINT64_MAX 18446744073709551615UL
#define INTPTR_MIN INT64_MIN
#define INTPTR_MAX INT64_MAX
#define UINTPTR_MAX UINT64_MAX
#define INTMAX_MIN INT64_MIN
#define INTMAX_MAX INT64_MAX
#define UINTMAX_MAX UINT64_MAX
#define SIZE_MAX UINT64_MAX
#define PTRDIFF_MIN INT64_MIN
#define PTRDIFF_MAX INT64_MAX
#define INT8_C(number) number
#define INT16_C(number) number
#define INT32_C(number) number
#define INT64_C(number) number##L
#define UINT8_C(number) number
#define UINT16_C(number) number
#define UINT32_C(number) number##U
#define UINT64_C(number) number##UL
#define INTMAX_C(number) number##L
#define UINTMAX_C(number) number##UL
#endif
