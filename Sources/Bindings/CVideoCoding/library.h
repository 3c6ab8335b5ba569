// Loads libavcodec and libavutil with dlopen. This header is private to the module.
#ifndef CVIDEOCODING_LIBRARY_H
#define CVIDEOCODING_LIBRARY_H

#include <libavcodec/avcodec.h>
#include <libavutil/hwcontext.h>
#include <libavutil/opt.h>
#include <stdbool.h>

// The functions of both libraries that this module calls. Their types come from the libraries' headers. The name of
// each library includes its major version, so that structs and functions of the loaded library match these headers.
#define CVIDEO_CODEC(use)                                                                                       \
  use(avcodec_find_encoder_by_name) use(avcodec_alloc_context3) use(avcodec_free_context) use(avcodec_open2)    \
      use(avcodec_send_frame) use(avcodec_receive_packet) use(av_packet_alloc) use(av_packet_free)              \
          use(avcodec_parameters_alloc) use(avcodec_parameters_free) use(avcodec_parameters_copy)               \
              use(avcodec_parameters_from_context) use(av_packet_rescale_ts) use(av_packet_unref)               \
                  use(avcodec_find_decoder) use(avcodec_parameters_to_context) use(avcodec_send_packet)         \
                      use(avcodec_receive_frame) use(av_parser_init) use(av_parser_parse2) use(av_parser_close) \
                          use(avcodec_flush_buffers)
#define CVIDEO_UTIL(use)                                                                                              \
  use(av_frame_alloc) use(av_frame_free) use(av_frame_unref) use(av_buffer_create) use(av_buffer_ref)                 \
      use(av_buffer_unref) use(av_dict_set) use(av_dict_get) use(av_dict_free) use(av_strerror) use(av_log_set_level) \
          use(av_hwdevice_ctx_create) use(av_hwframe_ctx_alloc) use(av_hwframe_ctx_init) use(av_hwframe_get_buffer)   \
              use(av_hwframe_transfer_data) use(av_mallocz) use(av_malloc) use(av_freep) use(av_frame_get_buffer)     \
                  use(av_frame_make_writable) use(av_opt_set) use(av_channel_layout_default)

#define CVIDEO_MEMBER(name) __typeof__(&name) name;

typedef struct cvideo_library {
  CVIDEO_CODEC(CVIDEO_MEMBER)
  CVIDEO_UTIL(CVIDEO_MEMBER)
} cvideo_library;

/// Loads the libraries at the first call. Any thread may call this function.
///
/// - Returns: the functions, in static memory that is never freed; null when a library is not installed or lacks a
///   function.
const cvideo_library *cvideo_library_load(void);

#endif
