#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <time.h>

#include "CALSA.h"
#include "formats.h"
#include "library.h"

// The descriptors of one input. Sound cards have one, plug-ins a few.
enum { most_descriptors = 16 };

struct calsa_capture {
  const calsa_library *alsa;
  snd_pcm_t *pcm;
  snd_pcm_format_t format;
  unsigned int channels;
  // How many samples of each channel were read since the start.
  uint64_t read;
  void *buffer;
  long buffer_count;
};

static int set_hardware(calsa_capture *c, unsigned int rate, snd_pcm_hw_params_t *parameters, const char **call) {
  const calsa_library *const alsa = c->alsa;
  *call = "snd_pcm_hw_params_any";
  int error = alsa->snd_pcm_hw_params_any(c->pcm, parameters);
  if (error < 0) return error;
  *call = "snd_pcm_hw_params_set_format";
  c->format = calsa_choose_format(alsa, c->pcm, parameters);
  if (c->format == SND_PCM_FORMAT_UNKNOWN) return -EINVAL;
  *call = "snd_pcm_hw_params_set_channels";
  error = alsa->snd_pcm_hw_params_set_channels(c->pcm, parameters, c->channels);
  if (error < 0) return error;
  *call = "snd_pcm_hw_params_set_rate";
  error = alsa->snd_pcm_hw_params_set_rate(c->pcm, parameters, rate, 0);
  if (error < 0) return error;
  // Cards that cannot have these times get the nearest ones that they can.
  unsigned int period = 10000, buffer = 500000;
  alsa->snd_pcm_hw_params_set_period_time_near(c->pcm, parameters, &period, NULL);
  alsa->snd_pcm_hw_params_set_buffer_time_near(c->pcm, parameters, &buffer, NULL);
  *call = "snd_pcm_hw_params";
  return alsa->snd_pcm_hw_params(c->pcm, parameters);
}

static int set_software(calsa_capture *c, snd_pcm_sw_params_t *parameters, snd_pcm_uframes_t period) {
  const calsa_library *const alsa = c->alsa;
  int error = alsa->snd_pcm_sw_params_current(c->pcm, parameters);
  if (error < 0) return error;
  alsa->snd_pcm_sw_params_set_avail_min(c->pcm, parameters, period);
  alsa->snd_pcm_sw_params_set_tstamp_mode(c->pcm, parameters, SND_PCM_TSTAMP_ENABLE);
  // A plug-in without stamps refuses this; calsa_capture_read then gives stamps of its own.
  alsa->snd_pcm_sw_params_set_tstamp_type(c->pcm, parameters, SND_PCM_TSTAMP_TYPE_MONOTONIC);
  return alsa->snd_pcm_sw_params(c->pcm, parameters);
}

static int set_up(calsa_capture *c, unsigned int rate, const char **call) {
  const calsa_library *const alsa = c->alsa;
  snd_pcm_hw_params_t *hardware = NULL;
  snd_pcm_sw_params_t *software = NULL;
  *call = "malloc";
  int error = alsa->snd_pcm_hw_params_malloc(&hardware);
  if (error == 0) error = alsa->snd_pcm_sw_params_malloc(&software);
  if (error == 0) error = set_hardware(c, rate, hardware, call);
  if (error == 0) {
    snd_pcm_uframes_t period = 0, buffer = 0;
    alsa->snd_pcm_hw_params_get_period_size(hardware, &period, NULL);
    alsa->snd_pcm_hw_params_get_buffer_size(hardware, &buffer);
    *call = "snd_pcm_sw_params";
    error = set_software(c, software, period > 0 ? period : 1);
    c->buffer_count = (long)buffer;
  }
  if (error == 0) {
    *call = "malloc";
    c->buffer = malloc((size_t)c->buffer_count * c->channels * (size_t)calsa_sample_size(c->format));
    if (!c->buffer) error = -ENOMEM;
  }
  if (software) alsa->snd_pcm_sw_params_free(software);
  if (hardware) alsa->snd_pcm_hw_params_free(hardware);
  return error;
}

int calsa_capture_open(const char *name, unsigned int rate, unsigned int channels, calsa_capture **capture,
                       const char **call) {
  *call = "dlopen";
  const calsa_library *const alsa = calsa_library_load();
  if (!alsa) return -ENOSYS;
  calsa_capture *const c = calloc(1, sizeof *c);
  if (!c) return -ENOMEM;
  c->alsa = alsa;
  c->channels = channels;
  *call = "snd_pcm_open";
  int error = alsa->snd_pcm_open(&c->pcm, name, SND_PCM_STREAM_CAPTURE, SND_PCM_NONBLOCK);
  if (error < 0) {
    free(c);
    return error;
  }
  error = set_up(c, rate, call);
  if (error == 0) {
    *call = "snd_pcm_start";
    error = calsa_capture_restart(c);
  }
  if (error < 0) {
    calsa_capture_close(c);
    return error;
  }
  *capture = c;
  return 0;
}

// Returns the error that the state of a stream stands for, after poll has told that there is one.
static int error_of_state(const calsa_capture *c) {
  switch (c->alsa->snd_pcm_state(c->pcm)) {
    case SND_PCM_STATE_XRUN:
      return -EPIPE;
    case SND_PCM_STATE_SUSPENDED:
      return -ESTRPIPE;
    case SND_PCM_STATE_DISCONNECTED:
      return -ENODEV;
    default:
      return -EIO;
  }
}

int calsa_capture_wait(calsa_capture *c, int descriptor, int milliseconds) {
  struct pollfd waiting[most_descriptors + 1];
  const int wanted = c->alsa->snd_pcm_poll_descriptors_count(c->pcm);
  if (wanted < 0 || wanted > most_descriptors) return -EIO;
  const int count = c->alsa->snd_pcm_poll_descriptors(c->pcm, waiting, (unsigned int)wanted);
  if (count < 0) return count;
  waiting[count] = (struct pollfd){.fd = descriptor, .events = POLLIN};
  const int ready = poll(waiting, (nfds_t)count + 1, milliseconds);
  if (ready < 0) return errno == EINTR ? 0 : -errno;
  if (ready == 0) return 0;
  unsigned short events = 0;
  const int error = c->alsa->snd_pcm_poll_descriptors_revents(c->pcm, waiting, (unsigned int)count, &events);
  if (error < 0) return error;
  if (events & POLLIN) return 1;
  // Linux closes the descriptors of a card that is pulled out before it changes the state of its streams
  // (snd_card_disconnect), so the state may still be that of a stream that runs.
  if (events & POLLNVAL) return -ENODEV;
  return events & (POLLERR | POLLHUP) ? error_of_state(c) : 0;
}

static uint64_t nanoseconds(const struct timespec *time) {
  return (uint64_t)time->tv_sec * 1000000000 + (uint64_t)time->tv_nsec;
}

long calsa_capture_read(calsa_capture *c, float *samples, long capacity, uint64_t *time, uint64_t *position) {
  const snd_pcm_sframes_t present = c->alsa->snd_pcm_avail_update(c->pcm);
  if (present < 0) return present;
  if (present == 0) return 0;
  // The driver notes the instant and the number of samples together, in its interrupt.
  snd_pcm_uframes_t available = 0;
  snd_htimestamp_t stamp = {0, 0};
  const int error = c->alsa->snd_pcm_htimestamp(c->pcm, &available, &stamp);
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  // Some plug-ins give no stamp, or one of another clock, which lies far from now.
  const uint64_t second = 1000000000, present_time = nanoseconds(&now), stamped = nanoseconds(&stamp);
  const bool is_true = error == 0 && stamped <= present_time && stamped + second > present_time;
  if (!is_true) available = (snd_pcm_uframes_t)present;
  *time = is_true ? stamped : present_time;
  *position = c->read + available;
  const long most = capacity < c->buffer_count ? capacity : c->buffer_count;
  const snd_pcm_sframes_t count =
      c->alsa->snd_pcm_readi(c->pcm, c->buffer, (snd_pcm_uframes_t)(present < most ? present : most));
  if (count == -EAGAIN) return 0;
  if (count < 0) return count;
  calsa_convert(c->format, c->buffer, samples, count * (long)c->channels);
  c->read += (uint64_t)count;
  return count;
}

int calsa_capture_restart(calsa_capture *c) {
  c->read = 0;
  if (c->alsa->snd_pcm_state(c->pcm) == SND_PCM_STATE_SUSPENDED) {
    // Drivers that cannot resume say so, and are prepared anew as after an overrun.
    if (c->alsa->snd_pcm_resume(c->pcm) == -EAGAIN) return -ESTRPIPE;
  }
  c->alsa->snd_pcm_drop(c->pcm);
  const int error = c->alsa->snd_pcm_prepare(c->pcm);
  return error < 0 ? error : c->alsa->snd_pcm_start(c->pcm);
}

void calsa_capture_close(calsa_capture *c) {
  c->alsa->snd_pcm_drop(c->pcm);
  c->alsa->snd_pcm_close(c->pcm);
  free(c->buffer);
  free(c);
}
