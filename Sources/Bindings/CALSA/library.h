// Loads libasound with dlopen. This header is private to the module.
#ifndef CALSA_LIBRARY_H
#define CALSA_LIBRARY_H

#include <alsa/asoundlib.h>

// The functions of libasound that this module calls. Their types come from its headers. The name of the library
// includes its major version, so that the loaded library matches these headers.
#define CALSA_FUNCTIONS(use)                                                                                           \
  use(snd_card_next) use(snd_ctl_card_info) use(snd_ctl_card_info_free) use(snd_ctl_card_info_get_driver) use(         \
      snd_ctl_card_info_get_id) use(snd_ctl_card_info_get_name) use(snd_ctl_card_info_malloc) use(snd_ctl_close)       \
      use(snd_ctl_open) use(snd_ctl_pcm_info) use(snd_ctl_pcm_next_device) use(snd_device_name_free_hint) use(         \
          snd_device_name_get_hint) use(snd_device_name_hint) use(snd_lib_error_set_handler) use(snd_pcm_avail_update) \
          use(snd_pcm_close) use(snd_pcm_drop) use(snd_pcm_hw_params) use(snd_pcm_hw_params_any) use(                  \
              snd_pcm_hw_params_free) use(snd_pcm_hw_params_get_buffer_size) use(snd_pcm_hw_params_get_period_size)    \
              use(snd_pcm_hw_params_malloc) use(snd_pcm_hw_params_set_access)                                          \
                  use(snd_pcm_hw_params_set_buffer_time_near) use(snd_pcm_hw_params_set_channels)                      \
                      use(snd_pcm_hw_params_set_format) use(snd_pcm_hw_params_set_period_time_near)                    \
                          use(snd_pcm_hw_params_set_rate) use(snd_pcm_hw_params_set_rate_resample)                     \
                              use(snd_pcm_hw_params_test_channels) use(snd_pcm_hw_params_test_format)                  \
                                  use(snd_pcm_hw_params_test_rate) use(snd_pcm_htimestamp) use(snd_pcm_info_free) use( \
                                      snd_pcm_info_get_id) use(snd_pcm_info_get_name) use(snd_pcm_info_malloc)         \
                                      use(snd_pcm_info_set_device) use(snd_pcm_info_set_stream) use(                   \
                                          snd_pcm_info_set_subdevice) use(snd_pcm_open) use(snd_pcm_poll_descriptors)  \
                                          use(snd_pcm_poll_descriptors_count) use(snd_pcm_poll_descriptors_revents)    \
                                              use(snd_pcm_prepare) use(snd_pcm_readi) use(snd_pcm_resume)              \
                                                  use(snd_pcm_start) use(snd_pcm_state) use(snd_pcm_sw_params)         \
                                                      use(snd_pcm_sw_params_current) use(snd_pcm_sw_params_free)       \
                                                          use(snd_pcm_sw_params_malloc)                                \
                                                              use(snd_pcm_sw_params_set_avail_min)                     \
                                                                  use(snd_pcm_sw_params_set_start_threshold)           \
                                                                      use(snd_pcm_sw_params_set_tstamp_mode)           \
                                                                          use(snd_pcm_sw_params_set_tstamp_type)

#define CALSA_MEMBER(name) __typeof__(&name) name;

typedef struct calsa_library {
  CALSA_FUNCTIONS(CALSA_MEMBER)
} calsa_library;

/// Loads libasound at the first call. Any thread may call this function.
///
/// - Returns: the functions, in static memory that is never freed; null when libasound is not installed.
const calsa_library *calsa_library_load(void);

#endif
