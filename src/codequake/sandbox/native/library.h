/* The functions of library.c that programs call under other names; see symbols.c. */
#ifndef CODEQUAKE_LIBRARY_H
#define CODEQUAKE_LIBRARY_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

int program_rand(void);
void program_srand(unsigned seed);
int program_atexit(void (*function)(void));
void program_exit(int code);
void program_abort(void);
void program_assert_fail(const char *text, const char *file, int line);
int *program_errno(void);
int program_printf(const char *format, ...);
int program_vprintf(const char *format, va_list rest);
int program_scanf(const char *format, ...);
int program_vscanf(const char *format, va_list rest);
int program_getchar(void);
int program_putchar(int byte);
int program_puts(const char *text);
void program_perror(const char *text);
int program_fflush(FILE *stream);
int program_setvbuf(FILE *stream, char *buffer, int mode, size_t size);
void program_setbuf(FILE *stream, char *buffer);
char *program_strtok(char *text, const char *marks);
char *program_strdup(const char *text);
char *program_strndup(const char *text, size_t most);
ssize_t program_getline(char **line, size_t *room, FILE *stream);

#endif
