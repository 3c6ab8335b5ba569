#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CALSA.h"
#include "formats.h"
#include "library.h"

const unsigned int calsa_rates[CALSA_RATE_COUNT] = {8000, 16000, 22050, 24000, 32000, 44100, 48000, 96000, 192000};

static void copy(calsa_text *to, const char *from) {
  snprintf(to->text, sizeof to->text, "%s", from ? from : "");
}

// Adds the inputs of one card behind the first `count` ones.
static int add_inputs(const calsa_library *alsa, int card, calsa_input *inputs, int count, int capacity) {
  char name[32];
  snprintf(name, sizeof name, "hw:%d", card);
  snd_ctl_t *control = NULL;
  if (alsa->snd_ctl_open(&control, name, SND_CTL_NONBLOCK) < 0) return count;
  snd_ctl_card_info_t *info = NULL;
  snd_pcm_info_t *pcm = NULL;
  if (alsa->snd_ctl_card_info_malloc(&info) == 0 && alsa->snd_pcm_info_malloc(&pcm) == 0 &&
      alsa->snd_ctl_card_info(control, info) == 0) {
    int device = -1;
    while (count < capacity && alsa->snd_ctl_pcm_next_device(control, &device) == 0 && device >= 0) {
      alsa->snd_pcm_info_set_device(pcm, (unsigned int)device);
      alsa->snd_pcm_info_set_subdevice(pcm, 0);
      alsa->snd_pcm_info_set_stream(pcm, SND_PCM_STREAM_CAPTURE);
      // A device that only plays is no input.
      if (alsa->snd_ctl_pcm_info(control, pcm) < 0) continue;
      calsa_input *const input = &inputs[count++];
      input->card = card;
      input->device = device;
      copy(&input->driver, alsa->snd_ctl_card_info_get_driver(info));
      copy(&input->card_name, alsa->snd_ctl_card_info_get_name(info));
      copy(&input->name, alsa->snd_pcm_info_get_name(pcm));
    }
  }
  if (pcm) alsa->snd_pcm_info_free(pcm);
  if (info) alsa->snd_ctl_card_info_free(info);
  alsa->snd_ctl_close(control);
  return count;
}

int calsa_inputs(calsa_input *inputs, int capacity) {
  const calsa_library *const alsa = calsa_library_load();
  if (!alsa) return -ENOSYS;
  int count = 0, card = -1;
  while (count < capacity && alsa->snd_card_next(&card) == 0 && card >= 0)
    count = add_inputs(alsa, card, inputs, count, capacity);
  return count;
}

bool calsa_has_plugin(const char *name) {
  const calsa_library *const alsa = calsa_library_load();
  void **hints = NULL;
  if (!alsa || alsa->snd_device_name_hint(-1, "pcm", &hints) < 0) return false;
  bool is_found = false;
  for (void **hint = hints; *hint && !is_found; hint++) {
    char *const found = alsa->snd_device_name_get_hint(*hint, "NAME");
    char *const direction = alsa->snd_device_name_get_hint(*hint, "IOID");
    is_found = found && strcmp(found, name) == 0 && (!direction || strcmp(direction, "Input") == 0);
    free(found);
    free(direction);
  }
  alsa->snd_device_name_free_hint(hints);
  return is_found;
}

int calsa_query(const char *name, calsa_capabilities *capabilities) {
  const calsa_library *const alsa = calsa_library_load();
  if (!alsa) return -ENOSYS;
  snd_pcm_t *pcm = NULL;
  int error = alsa->snd_pcm_open(&pcm, name, SND_PCM_STREAM_CAPTURE, SND_PCM_NONBLOCK);
  if (error < 0) return error;
  snd_pcm_hw_params_t *parameters = NULL;
  *capabilities = (calsa_capabilities){0, 0};
  error = alsa->snd_pcm_hw_params_malloc(&parameters);
  if (error == 0) error = alsa->snd_pcm_hw_params_any(pcm, parameters);
  if (error >= 0) {
    error = 0;
    alsa->snd_pcm_hw_params_set_rate_resample(pcm, parameters, 0);
    if (calsa_choose_format(alsa, pcm, parameters) == SND_PCM_FORMAT_UNKNOWN) error = -EINVAL;
    for (int i = 0; i < CALSA_RATE_COUNT && error == 0; i++)
      if (alsa->snd_pcm_hw_params_test_rate(pcm, parameters, calsa_rates[i], 0) == 0)
        capabilities->rates |= UINT32_C(1) << i;
    for (unsigned int channels = 1; channels <= 32 && error == 0; channels++)
      if (alsa->snd_pcm_hw_params_test_channels(pcm, parameters, channels) == 0)
        capabilities->channels |= UINT32_C(1) << (channels - 1);
  }
  if (parameters) alsa->snd_pcm_hw_params_free(parameters);
  alsa->snd_pcm_close(pcm);
  return error;
}
