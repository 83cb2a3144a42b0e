#undef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
void codequake_assert_fail(const char *text, const char *file, int line);
#define assert(condition) \
    ((condition) ? (void)0 : codequake_assert_fail(#condition, __FILE__, __LINE__))
#endif
