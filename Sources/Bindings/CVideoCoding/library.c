#include "library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>

#include "CLibrary.h"
#include "CVideoCoding.h"

static cvideo_library library;
static bool is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char name_of_codec[] = "libavcodec.so." AV_STRINGIFY(LIBAVCODEC_VERSION_MAJOR);

static bool is_installed;
static pthread_once_t search = PTHREAD_ONCE_INIT;
static atomic_bool is_missing;

static void load(void) {
  // The libraries are never unloaded, because some of the libraries that they load in turn cannot be unloaded safely.
  void *const codec = dlopen(name_of_codec, RTLD_NOW | RTLD_LOCAL);
  void *const util = dlopen("libavutil.so." AV_STRINGIFY(LIBAVUTIL_VERSION_MAJOR), RTLD_NOW | RTLD_LOCAL);
  if (!codec || !util) {
    atomic_store(&is_missing, true);
    return;
  }
  is_loaded = true;
#define FROM(handle, name)                                       \
  library.name = (__typeof__(library.name))dlsym(handle, #name); \
  if (!library.name) is_loaded = false;
#define FROM_CODEC(name) FROM(codec, name)
#define FROM_UTIL(name) FROM(util, name)
  CVIDEO_CODEC(FROM_CODEC)
  CVIDEO_UTIL(FROM_UTIL)
  if (!is_loaded) atomic_store(&is_missing, true);
  // By default libavcodec writes messages to stderr, which belongs to the daemon.
  if (is_loaded) library.av_log_set_level(AV_LOG_QUIET);
}

const cvideo_library *cvideo_library_load(void) {
  pthread_once(&once, load);
  return is_loaded ? &library : NULL;
}

static void look(void) {
  is_installed = clibrary_is_installed(name_of_codec);
}

bool cvideo_is_available(void) {
  pthread_once(&search, look);
  return is_installed && !atomic_load(&is_missing);
}
