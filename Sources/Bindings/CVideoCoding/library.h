// libavcodec and libavutil by dlopen. Private to this module.
#ifndef CVIDEOCODING_LIBRARY_H
#define CVIDEOCODING_LIBRARY_H

#include <libavcodec/avcodec.h>
#include <libavutil/hwcontext.h>
#include <stdbool.h>

// The very functions of the headers, whose major version is part of the libraries' names: structs and calls fit.
#define CVIDEO_CODEC(use)                                                                                    \
  use(avcodec_find_encoder_by_name) use(avcodec_alloc_context3) use(avcodec_free_context) use(avcodec_open2) \
      use(avcodec_send_frame) use(avcodec_receive_packet) use(av_packet_alloc) use(av_packet_free)           \
          use(av_packet_unref)
#define CVIDEO_UTIL(use)                                                                                            \
  use(av_frame_alloc) use(av_frame_free) use(av_frame_unref) use(av_buffer_create) use(av_buffer_ref)               \
      use(av_buffer_unref) use(av_dict_set) use(av_dict_free) use(av_strerror) use(av_log_set_level)                \
          use(av_hwdevice_ctx_create) use(av_hwframe_ctx_alloc) use(av_hwframe_ctx_init) use(av_hwframe_get_buffer) \
              use(av_hwframe_transfer_data)

#define CVIDEO_MEMBER(name) __typeof__(&name) name;

typedef struct cvideo_library {
  CVIDEO_CODEC(CVIDEO_MEMBER)
  CVIDEO_UTIL(CVIDEO_MEMBER)
} cvideo_library;

/// Loads the libraries once; from any thread.
///
/// - Returns: static memory, which is never freed; null when they are not there.
const cvideo_library *cvideo_library_load(void);

#endif
