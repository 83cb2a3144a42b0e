#ifndef CODEQUAKE_STDIO_H
#define CODEQUAKE_STDIO_H
#include <stddef.h>
#include <stdarg.h>
typedef long ssize_t;
typedef long off_t;
typedef struct codequake_stream FILE;
extern FILE *stdin, *stdout, *stderr;
#define stdin stdin
#define stdout stdout
#define stderr stderr
#define EOF (-1)
#define BUFSIZ 8192
#define _IOFBF 0
#define _IOLBF 1
#define _IONBF 2
int printf(const char *format, ...);
int fprintf(FILE *stream, const char *format, ...);
int sprintf(char *text, const char *format, ...);
int snprintf(char *text, size_t size, const char *format, ...);
int vprintf(const char *format, va_list rest);
int vfprintf(FILE *stream, const char *format, va_list rest);
int vsprintf(char *text, const char *format, va_list rest);
int vsnprintf(char *text, size_t size, const char *format, va_list rest);
int scanf(const char *format, ...);
int fscanf(FILE *stream, const char *format, ...);
int sscanf(const char *text, const char *format, ...);
int vscanf(const char *format, va_list rest);
int vfscanf(FILE *stream, const char *format, va_list rest);
int vsscanf(const char *text, const char *format, va_list rest);
int getchar(void);
int getc(FILE *stream);
int fgetc(FILE *stream);
char *fgets(char *text, int size, FILE *stream);
int putchar(int byte);
int putc(int byte, FILE *stream);
int fputc(int byte, FILE *stream);
int puts(const char *text);
int fputs(const char *text, FILE *stream);
int ungetc(int byte, FILE *stream);
size_t fread(void *data, size_t size, size_t count, FILE *stream);
size_t fwrite(const void *data, size_t size, size_t count, FILE *stream);
int feof(FILE *stream);
int ferror(FILE *stream);
void clearerr(FILE *stream);
int fflush(FILE *stream);
int setvbuf(FILE *stream, char *buffer, int mode, size_t size);
void setbuf(FILE *stream, char *buffer);
void perror(const char *text);
ssize_t getline(char **line, size_t *room, FILE *stream);
FILE *fopen(const char *name, const char *mode);
int fclose(FILE *stream);
int remove(const char *name);
#endif
