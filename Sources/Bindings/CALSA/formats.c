#include "formats.h"

#include <stdint.h>
#include <string.h>

// The best first. All cards of the last decades have one of these.
static const snd_pcm_format_t formats[] = {SND_PCM_FORMAT_FLOAT_LE, SND_PCM_FORMAT_S32_LE, SND_PCM_FORMAT_S24_LE,
                                           SND_PCM_FORMAT_S24_3LE, SND_PCM_FORMAT_S16_LE};

snd_pcm_format_t calsa_choose_format(const calsa_library *alsa, snd_pcm_t *pcm, snd_pcm_hw_params_t *parameters) {
  if (alsa->snd_pcm_hw_params_set_access(pcm, parameters, SND_PCM_ACCESS_RW_INTERLEAVED) < 0)
    return SND_PCM_FORMAT_UNKNOWN;
  for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
    if (alsa->snd_pcm_hw_params_test_format(pcm, parameters, formats[i]) == 0 &&
        alsa->snd_pcm_hw_params_set_format(pcm, parameters, formats[i]) == 0)
      return formats[i];
  return SND_PCM_FORMAT_UNKNOWN;
}

long calsa_sample_size(snd_pcm_format_t format) {
  switch (format) {
    case SND_PCM_FORMAT_S16_LE:
      return 2;
    case SND_PCM_FORMAT_S24_3LE:
      return 3;
    default:
      return 4;
  }
}

void calsa_convert(snd_pcm_format_t format, const void *from, float *to, long count) {
  const uint8_t *const bytes = from;
  switch (format) {
    case SND_PCM_FORMAT_S16_LE:
      for (long i = 0; i < count; i++) to[i] = (float)((const int16_t *)from)[i] / 0x1p15f;
      break;
    case SND_PCM_FORMAT_S24_3LE:
      for (long i = 0; i < count; i++) {
        const uint32_t value =
            (uint32_t)bytes[3 * i] << 8 | (uint32_t)bytes[3 * i + 1] << 16 | (uint32_t)bytes[3 * i + 2] << 24;
        to[i] = (float)(int32_t)value / 0x1p31f;
      }
      break;
    case SND_PCM_FORMAT_S24_LE:
      // The highest byte of each word says nothing.
      for (long i = 0; i < count; i++) to[i] = (float)(int32_t)(((const uint32_t *)from)[i] << 8) / 0x1p31f;
      break;
    case SND_PCM_FORMAT_S32_LE:
      for (long i = 0; i < count; i++) to[i] = (float)((const int32_t *)from)[i] / 0x1p31f;
      break;
    default:
      memcpy(to, from, (size_t)count * sizeof(float));
  }
}
