#ifndef CODEQUAKE_ISO646_H
#define CODEQUAKE_ISO646_H
#define and &&
#define or ||
#define not !
#define bitand &
#define bitor |
#define xor ^
#define compl ~
#define and_eq &=
#define or_eq |=
#define xor_eq ^=
#define not_eq !=
#endif
