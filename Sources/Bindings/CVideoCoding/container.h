// Facts about containers that the readers and the writers of movies share. This header is private to the module.
#ifndef CVIDEOCODING_CONTAINER_H
#define CVIDEOCODING_CONTAINER_H

#include "CVideoMuxer.h"
#include "format_library.h"
#include "track.h"

/// Returns libavformat's name of a container. The text is static.
const char *cvideo_container_name(cvideo_container container);

/// Adds a stream with these parameters to a movie that is about to be written. The movie owns the stream.
///
/// - display_matrix: nine numbers that tell players how to turn the pictures; null when players are not to turn them.
///
/// - Returns: 0, or a negative error of libavformat.
int cvideo_add_stream(const cvideo_format_library *av, AVFormatContext *movie, cvideo_container container,
                      const AVCodecParameters *parameters, const int32_t *display_matrix);

/// Returns the nine numbers that tell players how to turn the pictures of a stream; null when players are not to turn
/// them. The stream owns the numbers.
const int32_t *cvideo_display_matrix(const cvideo_format_library *av, const AVStream *stream);

/// Returns the numbers of a track that tell players how to turn its pictures; null when players are not to turn them.
static inline const int32_t *cvideo_track_matrix(const cvideo_track *track) {
  return track->is_turned ? track->display_matrix : NULL;
}

/// Opens a movie for reading. It may end anywhere.
///
/// - movie: set to a movie that the caller closes with avformat_close_input, or to null.
/// - path: a path for libavformat, borrowed for the call.
/// - Returns: 0, or a negative error of libavformat.
int cvideo_open_movie(const cvideo_format_library *av, AVFormatContext **movie, cvideo_container container,
                      const char *path);

/// Makes the edit lists of a movie in MP4 or QuickTime count in ticks. Otherwise libavformat would shift a movie whose
/// first picture does not begin at a whole millisecond.
///
/// - options: the options of libavformat's muxer, to which this function adds one. The caller keeps them.
void cvideo_count_edits_in_ticks(const cvideo_format_library *av, AVDictionary **options);

/// Returns the time of a picture in the unit of its stream, rounded up. If a span of time begins at the picture's time
/// in nanoseconds, it therefore has the picture in the file, too. If a span ends there, it does not have the picture.
int64_t cvideo_picture_time(int64_t nanoseconds, AVRational unit);

/// Writes a time in the form that libavformat takes, for example 2026-05-01T12:00:00.000000Z.
///
/// - microseconds: the time since 1970 (UTC).
/// - Returns: false for a time of 0 or less.
bool cvideo_format_time(int64_t microseconds, char *text, size_t count);

#endif
