#define _GNU_SOURCE
#include "library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "CALSA.h"

static calsa_library library;
static bool is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

// libasound writes its errors to the standard error by itself. The callers report them.
static void ignore(const char *file, int line, const char *function, int error, const char *format, ...) {
  (void)file, (void)line, (void)function, (void)error, (void)format;
}

static void load(void) {
  // The library is never unloaded, because plug-ins that it loads may leave threads behind.
  void *const handle = dlopen("libasound.so.2", RTLD_NOW | RTLD_LOCAL);
  is_loaded = handle != NULL;
#define FROM_LIBRARY(name)                                                         \
  library.name = (__typeof__(library.name))(handle ? dlsym(handle, #name) : NULL); \
  if (!library.name) is_loaded = false;
  CALSA_FUNCTIONS(FROM_LIBRARY)
  if (is_loaded) library.snd_lib_error_set_handler(ignore);
}

const calsa_library *calsa_library_load(void) {
  pthread_once(&once, load);
  return is_loaded ? &library : NULL;
}

bool calsa_is_available(void) {
  return calsa_library_load() != NULL;
}

const char *calsa_error_name(int error) {
  const char *const name = strerrorname_np(error);
  return name ? name : "an error without a name";
}
