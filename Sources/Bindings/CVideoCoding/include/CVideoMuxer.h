// Writes coded pictures into the containers of files and streams with libavformat.
#ifndef CVIDEOCODING_MUXER_H
#define CVIDEOCODING_MUXER_H

#include "CVideoCoding.h"
#include "CVideoTrack.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Writes one movie. Only one thread may use a muxer.
typedef struct cvideo_muxer cvideo_muxer;

/// A muxer writes its file through these functions of the caller.
typedef struct cvideo_sink {
  /// Handed to the functions, and never used by the muxer itself.
  void *_Nullable context;
  /// Writes all bytes at the current offset, and moves the offset behind them. The bytes are borrowed for the call.
  ///
  /// - Returns: 0, or the positive error number of the system that ends the muxer.
  int (*_Nonnull write)(void *_Nullable context, const uint8_t *_Nonnull bytes, size_t count);
  /// Moves the offset to this many bytes from the start; null for a sink that can only be appended to. Only Matroska
  /// calls it.
  ///
  /// - Returns: 0, or the positive error number of the system that ends the muxer.
  int (*_Nullable seek)(void *_Nullable context, int64_t offset);
} cvideo_sink;

/// A coded picture, or a packet of coded sound, with its times in nanoseconds from the start of the movie. The bytes
/// are borrowed for the call.
typedef struct cvideo_sample {
  const uint8_t *_Nonnull data;
  size_t count;
  int64_t time;
  int64_t decode_time;
  /// How long the sample lasts. A later sample that begins after this time leaves a gap.
  int64_t duration;
  bool is_key_frame;
} cvideo_sample;

/// Returns whether libavformat and libavcodec are installed and, once the module has loaded them, whether that worked.
/// Any thread may call this function; see cvideo_is_available for its cost.
bool cvideo_muxer_is_available(void);

/// Loads libavformat and libavcodec at the first call, which takes up to a tenth of a second. Any thread may call this
/// function.
///
/// - Returns: whether they are loaded.
bool cvideo_muxer_load(void);

/// Returns the major version of libavformat that the module was compiled with, and that it loads.
int cvideo_muxer_version(void);

/// Makes a muxer, and writes the beginning of the movie.
///
/// - tracks: borrowed for the call.
/// - sink: copied. Its functions are called during calls with the muxer only, until cvideo_muxer_destroy.
/// - creation_time: when the movie was made, in microseconds since 1970 (UTC); 0 leaves it out.
/// - is_endless: whether MP4 and QuickTime are written without a list of their fragments at the end. The muxer would
///   keep that list in memory, where it grows with each fragment.
/// - message: on failure, a terminated text without a full stop.
/// - Returns: the muxer, which the caller owns and ends with cvideo_muxer_destroy; null when libavformat is not
///   available, when the container cannot hold a track, when the sink fails, or when out of memory.
cvideo_muxer *_Nullable cvideo_muxer_create(cvideo_container container,
                                            const cvideo_track *_Nonnull const *_Nonnull tracks, int track_count,
                                            const cvideo_sink *_Nonnull sink, int64_t creation_time, bool is_endless,
                                            char message[_Nonnull 160]);

/// Ends a muxer and frees its memory. Without cvideo_muxer_finish, the movie ends after its last whole fragment.
void cvideo_muxer_destroy(cvideo_muxer *_Nonnull muxer);

/// Adds a sample to a track. Samples of a track come in the order of their decode times. MP4 and QuickTime keep the
/// sample in memory until the end of the fragment; the others write when they have enough.
///
/// - Returns: CVIDEO_OK or CVIDEO_FAILED. After a failure every further call fails.
cvideo_result cvideo_muxer_write(cvideo_muxer *_Nonnull muxer, int track, const cvideo_sample *_Nonnull sample);

/// Ends a fragment: writes all samples that were added, so that what the sink has can be played to the last of them.
/// A fragment of Matroska is a cluster; MPEG-TS has none. The next sample should be a key frame.
///
/// - Returns: CVIDEO_OK or CVIDEO_FAILED. After a failure every further call fails.
cvideo_result cvideo_muxer_end_fragment(cvideo_muxer *_Nonnull muxer);

/// Ends the last fragment, and writes the end of the movie. Only cvideo_muxer_destroy may follow.
///
/// - Returns: CVIDEO_OK or CVIDEO_FAILED.
cvideo_result cvideo_muxer_finish(cvideo_muxer *_Nonnull muxer);

/// Returns the reason of the last CVIDEO_FAILED. The muxer owns the text, which is borrowed until the next call.
const char *_Nonnull cvideo_muxer_message(const cvideo_muxer *_Nonnull muxer);

/// Copies a movie in MP4 or QuickTime to another file that has its index in front, and no fragments, without encoding
/// anew. Both files are opened by libavformat. The movie may be cut off; what follows its last whole sample is left
/// out. The caller removes the target when the copy was stopped or failed.
///
/// - container: CVIDEO_MP4 or CVIDEO_MOV, the container of both files.
/// - source, target: paths, borrowed for the call. A file at the target is overwritten.
/// - should_stop: called between samples and before reads with stop_context; returns whether the copying must stop.
/// Null never stops.
/// - error_number: on failure, the positive error number of the system; 0 when the cause is another one.
/// - message: on failure, a terminated text without a full stop.
/// - Returns: CVIDEO_OK, CVIDEO_STOPPED or CVIDEO_FAILED.
cvideo_result cvideo_index_movie(cvideo_container container, const char *_Nonnull source, const char *_Nonnull target,
                                 bool (*_Nullable should_stop)(void *_Nullable stop_context),
                                 void *_Nullable stop_context, int *_Nonnull error_number, char message[_Nonnull 160]);

/// Counts the samples of the first track of pictures, without decoding them. The movie may be cut off; what cannot be
/// read ends the count. Reads the indexes of MP4 and QuickTime, and the whole of other files.
///
/// - path: a path for libavformat, borrowed for the call.
/// - duration: from the first sample to the end of the last one, in nanoseconds.
/// - message: on failure, a terminated text without a full stop.
/// - Returns: CVIDEO_OK; CVIDEO_FAILED when libavformat is not available or cannot open the file.
cvideo_result cvideo_read_contents(cvideo_container container, const char *_Nonnull path,
                                   int64_t *_Nonnull sample_count, int64_t *_Nonnull duration,
                                   char message[_Nonnull 160]);

#ifdef __cplusplus
}
#endif
#endif
