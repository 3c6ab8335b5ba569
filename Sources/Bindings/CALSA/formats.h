// The sample formats that this module reads. This header is private to the module.
#ifndef CALSA_FORMATS_H
#define CALSA_FORMATS_H

#include "library.h"

/// Restricts the parameters to the best sample format that the module reads.
///
/// - Returns: the format; SND_PCM_FORMAT_UNKNOWN when the input offers none of them.
snd_pcm_format_t calsa_choose_format(const calsa_library *alsa, snd_pcm_t *pcm, snd_pcm_hw_params_t *parameters);

/// The bytes of one sample of one channel.
long calsa_sample_size(snd_pcm_format_t format);

/// Turns samples into numbers from -1 to 1.
void calsa_convert(snd_pcm_format_t format, const void *from, float *to, long count);

#endif
