// Loads libavformat with dlopen. This header is private to the module.
#ifndef CVIDEOCODING_FORMAT_LIBRARY_H
#define CVIDEOCODING_FORMAT_LIBRARY_H

#include <libavformat/avformat.h>

#include "library.h"

// The functions of libavformat that this module calls. Their types come from the library's headers.
#define CVIDEO_FORMAT(use)                                                                                            \
  use(avformat_alloc_output_context2) use(avformat_alloc_context) use(avformat_new_stream) use(avformat_write_header) \
      use(av_write_frame) use(av_interleaved_write_frame) use(av_write_trailer) use(avformat_free_context)            \
          use(avio_alloc_context) use(avio_context_free) use(avio_flush) use(avio_open) use(avio_closep)              \
              use(av_find_input_format) use(avformat_open_input) use(avformat_close_input) use(av_read_frame)         \
                  use(avformat_index_get_entries_count) use(avformat_index_get_entry)                                 \
                      use(avformat_index_get_entry_from_timestamp) use(av_stream_new_side_data)                       \
                          use(av_stream_get_side_data)

typedef struct cvideo_format_library {
  CVIDEO_FORMAT(CVIDEO_MEMBER)
  /// libavcodec and libavutil.
  const cvideo_library *av;
} cvideo_format_library;

/// Loads libavformat, libavcodec and libavutil at the first call. Any thread may call this function.
///
/// - Returns: the functions, in static memory that is never freed; null when a library is not installed or lacks a
///   function.
const cvideo_format_library *cvideo_format_library_load(void);

#endif
