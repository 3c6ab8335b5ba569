// Whether a shared library is there, as a rule without loading it: those that are loaded on demand cost memory once
// they are.
#ifndef CLIBRARY_H
#define CLIBRARY_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Looks for a library in the folders where dlopen looks, and loads it where only the loader's cache knows its folder.
/// Reads the file system at each call; any thread may call it.
///
/// - name: the file's name, such as libheif.so.1. Borrowed for the time of the call.
bool clibrary_is_installed(const char *_Nonnull name);

#ifdef __cplusplus
}
#endif
#endif
