// Tracks: what a file tells once about all samples of a track of pictures or sound.
#ifndef CVIDEOCODING_TRACK_H
#define CVIDEOCODING_TRACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cvideo_codec {
  CVIDEO_H264,
  CVIDEO_HEVC,
  /// ProRes 422, by libavcodec's prores_ks.
  CVIDEO_PRORES,
  /// FFV1 version 3, which is lossless. Each picture is a key frame.
  CVIDEO_FFV1,
  /// Motion JPEG. There is no encoder for it here.
  CVIDEO_MJPEG,
} cvideo_codec;

typedef enum cvideo_matrix {
  CVIDEO_BT601,
  CVIDEO_BT709,
  CVIDEO_BT2020,
} cvideo_matrix;

/// Describes a track. A track never changes, so any thread may use it. A track belongs to no encoder and no muxer.
typedef struct cvideo_track cvideo_track;

/// The format of coded pictures that no encoder of this module made.
typedef struct cvideo_track_format {
  cvideo_codec codec;
  int width;
  int height;
  bool is_full_range;
  cvideo_matrix matrix;
} cvideo_track_format;

/// Makes the track of coded pictures that come from elsewhere.
///
/// - format: borrowed for the call. The codec is H.264 or HEVC in annex B, or Motion JPEG.
/// - key_frame, count: for H.264 and HEVC a key frame with its parameter sets, borrowed for the call; null otherwise.
/// - Returns: the track, which the caller owns and frees with cvideo_track_destroy; null when libavcodec is not
///   installed, when the key frame has no parameter sets, for another codec, and when out of memory.
cvideo_track *_Nullable cvideo_track_create(const cvideo_track_format *_Nonnull format,
                                            const uint8_t *_Nullable key_frame, size_t count);

/// Returns whether the parameter sets of a key frame are those of the track, so that a decoder of the track can decode
/// the key frame and the pictures after it.
///
/// - track: a track of H.264 or HEVC.
/// - key_frame, count: the bytes in annex B, borrowed for the call.
bool cvideo_track_describes(const cvideo_track *_Nonnull track, const uint8_t *_Nonnull key_frame, size_t count);

/// Makes a track whose pictures players turn. Only MP4 and QuickTime tell players so.
///
/// - track: another track of the same pictures, borrowed for the call.
/// - matrix: the nine numbers of a track's matrix in MP4 (ISO/IEC 14496-12, 6.2.2), borrowed for the call.
/// - Returns: the track, which the caller owns and frees with cvideo_track_destroy; null when out of memory.
cvideo_track *_Nullable cvideo_track_turned(const cvideo_track *_Nonnull track, const int32_t matrix[_Nonnull 9]);

/// Frees a track. Muxers that were made with it do not need it any more.
void cvideo_track_destroy(cvideo_track *_Nonnull track);

#ifdef __cplusplus
}
#endif
#endif
