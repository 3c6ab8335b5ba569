// The mark of the functions whose loops should use the processor's widest vectors. Not part of the module.
#ifndef CYUV_FASTEST_H
#define CYUV_FASTEST_H

// On x86-64 the compiler makes two versions of each function that is marked FASTEST, and the loader picks one when it
// loads the program: AVX2 makes the loops three times as fast as SSE2, which every x86-64 processor has. On other
// machines the base instruction set is fast enough. ThreadSanitizer builds have one version, because the choice would
// run before the sanitizer has started, and would crash in the sanitizer.
#if defined(__x86_64__) && !__has_feature(thread_sanitizer)
#define FASTEST __attribute__((target_clones("avx2", "default")))
#else
#define FASTEST
#endif

#endif
