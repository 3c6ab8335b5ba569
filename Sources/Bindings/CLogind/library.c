#include "library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

static clogind_library library;
static bool is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  // The library is never unloaded, because libsystemd keeps thread-local state.
  void *const handle = dlopen("libsystemd.so.0", RTLD_NOW | RTLD_LOCAL);
  is_loaded = handle != NULL;
#define FROM_LIBRARY(name)                                                         \
  library.name = (__typeof__(library.name))(handle ? dlsym(handle, #name) : NULL); \
  if (!library.name) is_loaded = false;
  CLOGIND_FUNCTIONS(FROM_LIBRARY)
}

const clogind_library *clogind_library_load(void) {
  pthread_once(&once, load);
  return is_loaded ? &library : NULL;
}
