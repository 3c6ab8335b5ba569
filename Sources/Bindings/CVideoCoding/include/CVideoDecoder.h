// Decodes pictures in H.264 and HEVC.
#ifndef CVIDEODECODER_H
#define CVIDEODECODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CVideoCoding.h"
#include "CVideoMovie.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A decoder of coded video. Only one thread at a time may use a decoder.
typedef struct cvideo_decoder cvideo_decoder;

/// A decoded picture with samples of eight bits. Strides are in bytes.
typedef struct cvideo_decoded {
  /// The number that the coded picture came with.
  int64_t number;
  int width, height;
  /// True when the daemon reads pixels of this kind. `pixels` means something only then.
  bool is_readable;
  cvideo_pixels pixels;
  /// True when the stream itself tells the range, and when it tells the matrix.
  bool has_range, has_matrix;
  bool is_full_range;
  cvideo_matrix matrix;
  const uint8_t *_Nullable data[3];
  int strides[3];
} cvideo_decoded;

/// Opens a decoder. Loads libavcodec.
///
/// - message: on failure, a terminated text without a full stop.
/// - Returns: the decoder, which the caller owns and ends with cvideo_decoder_destroy; null when libavcodec is not
///   installed or lacks the decoder, and when out of memory.
cvideo_decoder *_Nullable cvideo_decoder_create(bool is_hevc, char message[_Nonnull 160]);

/// Ends a decoder and frees its memory.
void cvideo_decoder_destroy(cvideo_decoder *_Nonnull decoder);

/// Decodes the next picture.
///
/// - bytes, count: the picture in annex B, borrowed for the call.
/// - number: comes back with the decoded picture.
/// - picture: filled with CVIDEO_OK, perhaps by an earlier picture. The decoder owns its planes, which are borrowed
///   until the next call.
/// - Returns: CVIDEO_OK; CVIDEO_LATE when the decoder gives the picture only after further ones; CVIDEO_FAILED when it
///   cannot decode the picture.
cvideo_result cvideo_decoder_decode(cvideo_decoder *_Nonnull decoder, const uint8_t *_Nonnull bytes, size_t count,
                                    int64_t number, cvideo_decoded *_Nonnull picture);

/// Gives the last of the pictures that the decoder holds back. Only cvideo_decoder_reset may follow.
///
/// - picture: as for cvideo_decoder_decode.
/// - Returns: CVIDEO_OK, or CVIDEO_FAILED when it holds none.
cvideo_result cvideo_decoder_drain(cvideo_decoder *_Nonnull decoder, cvideo_decoded *_Nonnull picture);

/// Forgets all pictures. The next one is a key frame.
void cvideo_decoder_reset(cvideo_decoder *_Nonnull decoder);

#ifdef __cplusplus
}
#endif

#endif
