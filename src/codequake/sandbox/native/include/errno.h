#ifndef CODEQUAKE_ERRNO_H
#define CODEQUAKE_ERRNO_H
int *codequake_errno(void);
#define errno (*codequake_errno())
#define EDOM 33
#define ERANGE 34
#define EINVAL 22
#define ENOMEM 12
#define EILSEQ 84
#endif
