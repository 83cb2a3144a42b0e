#ifndef CODEQUAKE_STDNORETURN_H
#define CODEQUAKE_STDNORETURN_H
#define noreturn _Noreturn
#endif
