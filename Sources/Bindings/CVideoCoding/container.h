// muxer.c and index.c share these facts about containers. This header is private to the module.
#ifndef CVIDEOCODING_CONTAINER_H
#define CVIDEOCODING_CONTAINER_H

#include "CVideoMuxer.h"
#include "format_library.h"

/// Returns libavformat's name of a container. The text is static.
const char *cvideo_container_name(cvideo_container container);

/// Adds a stream with these parameters to a movie that is about to be written. The movie owns the stream.
///
/// - Returns: 0, or a negative error of libavformat.
int cvideo_add_stream(const cvideo_format_library *av, AVFormatContext *movie, cvideo_container container,
                      const AVCodecParameters *parameters);

#endif
