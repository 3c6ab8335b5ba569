// Reads where the samples of a movie lie, and makes the beginning of another movie of some of them.
#ifndef CVIDEOCODING_EXPORT_H
#define CVIDEOCODING_EXPORT_H

#include "CVideoCoding.h"
#include "CVideoTrack.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The place of a sample in a movie. Times count from the start of the movie: those of pictures in nanoseconds, and
/// those of sound in samples of a channel.
typedef struct cvideo_placed_sample {
  /// Where in the file the bytes begin.
  int64_t offset;
  int64_t time;
  /// How long the sample lasts. Only cvideo_movie_header needs it.
  int64_t duration;
  /// The number of bytes.
  uint32_t count;
  /// The number of the track. Only cvideo_movie_header needs it.
  int32_t track;
  bool is_key_frame;
} cvideo_placed_sample;

/// The samples of a track in a movie, in the order of their times.
typedef struct cvideo_indexed_track {
  cvideo_track *_Nullable track;
  cvideo_placed_sample *_Nullable samples;
  size_t count;
  /// Where the last sample ends.
  int64_t end_time;
  /// The units of times in a second.
  int64_t units_per_second;
} cvideo_indexed_track;

/// A track of pictures, and those of sound.
enum { CVIDEO_MAXIMUM_TRACKS = 5 };

/// The samples of a movie: of the first track of pictures, and then of the tracks of sound in their order.
typedef struct cvideo_sample_index {
  cvideo_indexed_track tracks[CVIDEO_MAXIMUM_TRACKS];
  int track_count;
} cvideo_sample_index;

/// Reads the index of a movie in MP4 or QuickTime, and no sample. The movie may be cut off, or grow meanwhile.
///
/// - path: a path for libavformat, borrowed for the call.
/// - size: samples that end beyond this many bytes of the file are left out.
/// - index: filled when the result is CVIDEO_OK. The caller owns its members and frees them with
///   cvideo_sample_index_free.
/// - message: on failure, a terminated text without a full stop.
/// - Returns: CVIDEO_OK; CVIDEO_FAILED when libavformat is not available, when it cannot open the file, when the movie
///   has no track of pictures, and when out of memory.
cvideo_result cvideo_sample_index_read(cvideo_container container, const char *_Nonnull path, int64_t size,
                                       cvideo_sample_index *_Nonnull index, char message[_Nonnull 160]);

/// Frees the samples, and the tracks unless the caller has taken them and set them to null.
void cvideo_sample_index_free(cvideo_sample_index *_Nonnull index);

/// Returns a number that two tracks share exactly when a decoder of one can decode the samples of the other, unless
/// two digests of 64 bits are equal by chance. It depends on nothing but the file, so it may be kept.
uint64_t cvideo_track_digest(const cvideo_track *_Nonnull track);

/// Reads what a movie in MP4 or QuickTime tells once about its tracks, and neither its index nor a sample. The movie
/// may be cut off, or grow meanwhile.
///
/// - path: a path for libavformat, borrowed for the call.
/// - digests: filled with the digest of each track: that of the pictures, and then those of sound in their order.
/// - count: the number of digests.
/// - message: on failure, a terminated text without a full stop.
/// - Returns: as cvideo_sample_index_read.
cvideo_result cvideo_read_digests(cvideo_container container, const char *_Nonnull path,
                                  uint64_t digests[_Nonnull CVIDEO_MAXIMUM_TRACKS], int *_Nonnull count,
                                  char message[_Nonnull 160]);

/// Makes all bytes before the samples of a movie in MP4 or QuickTime that has its index in front and no fragments. The
/// samples follow one after the other, without anything between them or behind them.
///
/// - tracks: borrowed for the call, 1 to CVIDEO_MAXIMUM_TRACKS of them, each with a sample.
/// - samples: in the order of the file, borrowed for the call. Their offsets do not count. Samples before the time 0
/// are
///   not shown, but decoded.
/// - count: at least 1.
/// - creation_time: when the movie was made, in microseconds since 1970 (UTC); 0 leaves it out.
/// - header_count: the number of bytes.
/// - message: on failure, a terminated text without a full stop.
/// - Returns: the bytes, which the caller owns and frees with free(); null on failure.
uint8_t *_Nullable cvideo_movie_header(cvideo_container container, const cvideo_track *_Nonnull const *_Nonnull tracks,
                                       int track_count, const cvideo_placed_sample *_Nonnull samples, size_t count,
                                       int64_t creation_time, size_t *_Nonnull header_count,
                                       char message[_Nonnull 160]);

#ifdef __cplusplus
}
#endif
#endif
