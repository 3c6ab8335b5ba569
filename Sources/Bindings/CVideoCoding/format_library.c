#include "format_library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>

#include "CLibrary.h"
#include "CVideoCoding.h"

static cvideo_format_library library;
static bool is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char name_of_format[] = "libavformat.so." AV_STRINGIFY(LIBAVFORMAT_VERSION_MAJOR);

static bool is_installed;
static pthread_once_t search = PTHREAD_ONCE_INIT;
static atomic_bool is_missing;

static void load(void) {
  // Like libavcodec, the library is never unloaded.
  library.av = cvideo_library_load();
  void *const format = library.av ? dlopen(name_of_format, RTLD_NOW | RTLD_LOCAL) : NULL;
  bool is_whole = format != NULL;
#define FROM_FORMAT(name)                                                      \
  if (is_whole) library.name = (__typeof__(library.name))dlsym(format, #name); \
  if (!library.name) is_whole = false;
  CVIDEO_FORMAT(FROM_FORMAT)
  is_loaded = is_whole;
  if (!is_loaded) atomic_store(&is_missing, true);
}

const cvideo_format_library *cvideo_format_library_load(void) {
  pthread_once(&once, load);
  return is_loaded ? &library : NULL;
}

static void look(void) {
  is_installed = clibrary_is_installed(name_of_format);
}

bool cvideo_muxer_load(void) {
  return cvideo_format_library_load() != NULL;
}

int cvideo_muxer_version(void) {
  return LIBAVFORMAT_VERSION_MAJOR;
}

bool cvideo_muxer_is_available(void) {
  pthread_once(&search, look);
  return is_installed && cvideo_is_available() && !atomic_load(&is_missing);
}
