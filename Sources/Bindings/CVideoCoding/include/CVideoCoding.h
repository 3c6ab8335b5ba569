// H.264 by FFmpeg's libavcodec, which is loaded when the first encoder is made: with all that it brings along it would
// otherwise cost every start of a daemon that nobody asks for H.264.
#ifndef CVIDEOCODING_H
#define CVIDEOCODING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// One encoder. Belongs to one thread.
typedef struct cvideo_encoder cvideo_encoder;

typedef enum cvideo_result {
  CVIDEO_OK,
  /// The encoder took the picture and gave none: it would always be late.
  CVIDEO_LATE,
  /// libavcodec refused: see the message.
  CVIDEO_FAILED,
} cvideo_result;

typedef enum cvideo_kind {
  /// x264.
  CVIDEO_SOFTWARE,
  /// A memory-to-memory device of V4L2.
  CVIDEO_V4L2,
  /// A graphics card's encoder.
  CVIDEO_VAAPI,
} cvideo_kind;

/// What is encoded.
typedef struct cvideo_format {
  /// Even.
  int width;
  /// Even.
  int height;
  bool is_full_range;
  bool is_bt709;
  /// 0 to 51, less is better; x264's rate factor, a constant quantizer elsewhere.
  int quantizer;
} cvideo_format;

/// A picture in NV12. Only read, and only until the function returns.
typedef struct cvideo_picture {
  const uint8_t *_Nonnull luma;
  const uint8_t *_Nonnull chroma;
  int luma_stride;
  int chroma_stride;
} cvideo_picture;

/// Whether libavcodec is installed, as far as can be told without loading it; after it was loaded, whether that worked.
/// Any thread may call it.
bool cvideo_is_available(void);

/// Returns libavcodec's name of an encoder. The text is static and never freed.
const char *_Nonnull cvideo_encoder_name(cvideo_kind kind);

/// Makes an encoder. Key frames come when they are asked for, and no picture waits for another.
///
/// - message: on failure a terminated sentence without a full stop.
/// - Returns: owned; null when libavcodec, the encoder or the device is not there.
cvideo_encoder *_Nullable cvideo_encoder_create(cvideo_kind kind, const cvideo_format *_Nonnull format,
                                                char message[_Nonnull 160]);

void cvideo_encoder_destroy(cvideo_encoder *_Nonnull encoder);

/// Encodes a picture.
///
/// - is_key_frame: on the way in, whether it must be one; on the way out, whether it is.
/// - data, count: Annex B with parameter sets before each key frame; borrowed until the next call.
cvideo_result cvideo_encoder_encode(cvideo_encoder *_Nonnull encoder, const cvideo_picture *_Nonnull picture,
                                    bool *_Nonnull is_key_frame, const uint8_t *_Nullable *_Nonnull data,
                                    size_t *_Nonnull count);

/// Of the last failure. Borrowed until the next call.
const char *_Nonnull cvideo_encoder_message(const cvideo_encoder *_Nonnull encoder);

#ifdef __cplusplus
}
#endif
#endif
