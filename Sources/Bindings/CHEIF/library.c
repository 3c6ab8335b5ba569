#include "library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>

#include "CHEIF.h"
#include "CLibrary.h"

static const char name_of_library[] = "libheif.so.1";

static cheif_library library;
static bool is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static bool is_installed;
static pthread_once_t search = PTHREAD_ONCE_INIT;
static atomic_bool is_missing;

static void load(void) {
  // The library is never unloaded, because libraries in C++ often cannot be unloaded safely.
  void *const handle = dlopen(name_of_library, RTLD_NOW | RTLD_LOCAL);
  is_loaded = handle != NULL;
#define FROM_LIBRARY(name)                                                         \
  library.name = (__typeof__(library.name))(handle ? dlsym(handle, #name) : NULL); \
  if (!library.name) is_loaded = false;
  CHEIF_FUNCTIONS(FROM_LIBRARY)
  if (is_loaded && !library.heif_have_encoder_for_format(heif_compression_HEVC)) is_loaded = false;
  if (!is_loaded) atomic_store(&is_missing, true);
}

const cheif_library *cheif_library_load(void) {
  pthread_once(&once, load);
  return is_loaded ? &library : NULL;
}

static void look(void) {
  is_installed = clibrary_is_installed(name_of_library);
}

bool cheif_is_available(void) {
  pthread_once(&search, look);
  return is_installed && !atomic_load(&is_missing);
}
