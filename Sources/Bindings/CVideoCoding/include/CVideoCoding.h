// Encodes video with FFmpeg's libavcodec, and writes movies with its libavformat. The module loads libavcodec only when
// the first encoder is made, because libavcodec loads many other libraries. A daemon whose clients never ask for H.264
// would otherwise spend that time and memory at every start. It loads libavformat only when the first movie is written.
//
// This header has the encoder of previews. CVideoMovie.h has the encoder of movies and CVideoAudio.h that of their
// sound, CVideoTrack.h describes what the encoders make, and CVideoMuxer.h writes it. CVideoExport.h makes other movies
// of what was written, CVideoParser.h tells what samples that come coded hold, and CVideoDecoder.h decodes them.
#ifndef CVIDEOCODING_H
#define CVIDEOCODING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The number of ticks in a second, in encoders and in files. Drivers stamp frames in microseconds (`struct timeval` of
/// V4L2), so a file has their times exactly.
#define CVIDEO_TICKS_PER_SECOND 1000000

/// The nanoseconds in a second.
#define CVIDEO_NANOSECONDS 1000000000

/// An H.264 encoder. Only one thread may use an encoder.
typedef struct cvideo_encoder cvideo_encoder;

typedef enum cvideo_result {
  CVIDEO_OK,
  /// The encoder took the picture and returned no coded picture. An encoder of previews that does so would return every
  /// picture late; an encoder of movies may do so.
  CVIDEO_LATE,
  /// libavcodec or libavformat failed. The message gives the reason.
  CVIDEO_FAILED,
  /// A movie encoder has returned its last coded picture.
  CVIDEO_ENDED,
  /// The caller asked to stop.
  CVIDEO_STOPPED,
} cvideo_result;

typedef enum cvideo_kind {
  /// The software encoder x264.
  CVIDEO_SOFTWARE,
  /// A hardware encoder that is a V4L2 memory-to-memory device.
  CVIDEO_V4L2,
  /// The hardware encoder of a graphics card, by VAAPI.
  CVIDEO_VAAPI,
} cvideo_kind;

/// The properties that all pictures of an encoder share.
typedef struct cvideo_format {
  /// The width in pixels, an even number.
  int width;
  /// The height in pixels, an even number.
  int height;
  bool is_full_range;
  bool is_bt709;
  /// 0 to 51, where a lower value gives better quality. For x264 this is the rate factor, for other encoders a constant
  /// quantizer.
  int quantizer;
} cvideo_format;

/// A picture in NV12. The encoder only reads the picture, and only until the function returns. Strides are in bytes.
typedef struct cvideo_picture {
  const uint8_t *_Nonnull luma;
  const uint8_t *_Nonnull chroma;
  int luma_stride;
  int chroma_stride;
  /// The nominal number of pictures per second, both parts above 0. The parameter sets of a key frame name it.
  int rate_numerator, rate_denominator;
} cvideo_picture;

/// Returns whether libavcodec is installed and, once the module has loaded libavcodec, whether that worked. Any thread
/// may call this function.
///
/// The first call searches the file system, and loads libavcodec when only the loader's cache knows its folder; see
/// clibrary_is_installed. Other threads wait for that search. Later calls return at once.
bool cvideo_is_available(void);

/// Returns libavcodec's name of an encoder. The text is static and never freed.
const char *_Nonnull cvideo_encoder_name(cvideo_kind kind);

/// Makes an encoder. Apart from the first picture, the encoder makes key frames only on request. The encoder returns
/// each coded picture before it takes the next picture.
///
/// - message: on failure, a terminated text without a full stop.
/// - Returns: the encoder, which the caller owns and ends with cvideo_encoder_destroy; null when libavcodec, the
///   encoder or the device is not available, or when out of memory.
cvideo_encoder *_Nullable cvideo_encoder_create(cvideo_kind kind, const cvideo_format *_Nonnull format,
                                                char message[_Nonnull 160]);

/// Ends an encoder and frees its memory.
void cvideo_encoder_destroy(cvideo_encoder *_Nonnull encoder);

/// Encodes a picture.
///
/// - is_key_frame: before the call, whether the coded picture must be a key frame; after the call, whether it is one.
/// - data, count: the coded picture in annex B, with parameter sets before each key frame; borrowed until the next
///   call.
cvideo_result cvideo_encoder_encode(cvideo_encoder *_Nonnull encoder, const cvideo_picture *_Nonnull picture,
                                    bool *_Nonnull is_key_frame, const uint8_t *_Nullable *_Nonnull data,
                                    size_t *_Nonnull count);

/// Returns the reason of the last CVIDEO_FAILED. The encoder owns the text, which is borrowed until the next call.
const char *_Nonnull cvideo_encoder_message(const cvideo_encoder *_Nonnull encoder);

/// The format of a file with a movie.
typedef enum cvideo_container {
  /// MP4 in fragments.
  CVIDEO_MP4,
  /// QuickTime in fragments.
  CVIDEO_MOV,
  CVIDEO_MATROSKA,
  CVIDEO_MPEG_TS,
} cvideo_container;

#ifdef __cplusplus
}
#endif

#include "CVideoAudio.h"
#include "CVideoDecoder.h"
#include "CVideoExport.h"
#include "CVideoGroup.h"
#include "CVideoMovie.h"
#include "CVideoMuxer.h"
#include "CVideoParser.h"
#include "CVideoTrack.h"

#endif
