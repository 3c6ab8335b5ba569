#include <dlfcn.h>
#include <libswresample/swresample.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "CVideoAudio.h"
#include "library.h"

// The functions of libswresample that this module calls. libavcodec needs this library, so it is loaded already.
#define CVIDEO_RESAMPLE(use) \
  use(swr_alloc_set_opts2) use(swr_init) use(swr_convert) use(swr_get_out_samples) use(swr_free)

typedef struct {
  CVIDEO_RESAMPLE(CVIDEO_MEMBER)
  const cvideo_library *av;
} resample_library;

static resample_library library;
static bool is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char name_of_resample[] = "libswresample.so." AV_STRINGIFY(LIBSWRESAMPLE_VERSION_MAJOR);

static void load(void) {
  // Like libavcodec, the library is never unloaded.
  library.av = cvideo_library_load();
  void *const resample = library.av ? dlopen(name_of_resample, RTLD_NOW | RTLD_LOCAL) : NULL;
  bool is_whole = resample != NULL;
#define FROM_RESAMPLE(name)                                                      \
  if (is_whole) library.name = (__typeof__(library.name))dlsym(resample, #name); \
  if (!library.name) is_whole = false;
  CVIDEO_RESAMPLE(FROM_RESAMPLE)
  is_loaded = is_whole;
}

struct cvideo_resampler {
  SwrContext *context;
};

static int open_context(SwrContext **context, int channel_count, int input_rate, int output_rate) {
  AVChannelLayout layout = {0};
  library.av->av_channel_layout_default(&layout, channel_count);
  const int error = library.swr_alloc_set_opts2(context, &layout, AV_SAMPLE_FMT_FLT, output_rate, &layout,
                                                AV_SAMPLE_FMT_FLT, input_rate, 0, NULL);
  return error < 0 ? error : library.swr_init(*context);
}

cvideo_resampler *cvideo_resampler_create(int channel_count, int input_rate, int output_rate, char message[160]) {
  pthread_once(&once, load);
  if (!is_loaded) {
    snprintf(message, 160, "%s is not installed", name_of_resample);
    return NULL;
  }
  cvideo_resampler *const resampler = calloc(1, sizeof *resampler);
  if (!resampler) {
    snprintf(message, 160, "out of memory");
    return NULL;
  }
  const int error = open_context(&resampler->context, channel_count, input_rate, output_rate);
  if (error >= 0) return resampler;
  char reason[96] = "";
  library.av->av_strerror(error, reason, sizeof reason);
  snprintf(message, 160, "the resampler does not open: %s", reason);
  cvideo_resampler_destroy(resampler);
  return NULL;
}

void cvideo_resampler_destroy(cvideo_resampler *resampler) {
  library.swr_free(&resampler->context);
  free(resampler);
}

int cvideo_resampler_capacity(cvideo_resampler *resampler, int count) {
  return library.swr_get_out_samples(resampler->context, count);
}

int cvideo_resampler_convert(cvideo_resampler *resampler, const float *samples, int count, float *output,
                             int capacity) {
  const uint8_t *input = (const uint8_t *)samples;
  uint8_t *result = (uint8_t *)output;
  return library.swr_convert(resampler->context, &result, capacity, samples ? &input : NULL, count);
}
