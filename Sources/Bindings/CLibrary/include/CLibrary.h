// Tells whether a shared library is installed, in most cases without loading it. The daemon loads such libraries only
// on demand, because a loaded library takes memory.
#ifndef CLIBRARY_H
#define CLIBRARY_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Returns whether a library is installed. The function looks into the folders where dlopen looks, and loads the
/// library when only the loader's cache knows its folder. Each call reads the file system. Any thread may call this
/// function.
///
/// - name: the name of the file, such as libheif.so.1, borrowed for the call.
bool clibrary_is_installed(const char *_Nonnull name);

#ifdef __cplusplus
}
#endif
#endif
