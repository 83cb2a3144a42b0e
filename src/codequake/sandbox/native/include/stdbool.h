#ifndef CODEQUAKE_STDBOOL_H
#define CODEQUAKE_STDBOOL_H
#define bool _Bool
#define true 1
#define false 0
#endif
