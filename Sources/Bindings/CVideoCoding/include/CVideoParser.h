// Tells what a sample of H.264 holds, by libavcodec's parser, without decoding it.
#ifndef CVIDEOPARSER_H
#define CVIDEOPARSER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CVideoCoding.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What the parser found.
typedef struct cvideo_access_unit {
  /// The size in pixels of the pictures to show. 0 when there is no picture, or its parameter sets are missing or
  /// wrong.
  int width;
  int height;
  /// Whether a second access unit follows the first one.
  bool has_another;
} cvideo_access_unit;

/// Parses a sample in Annex B. Blocks only to compute. Any thread may call this function.
///
/// - sets: the parameter sets of earlier samples in Annex B, which `count_of_sets` says the bytes of. Borrowed.
/// - bytes: the sample, which `count` says the bytes of. Borrowed.
/// - Returns: `CVIDEO_FAILED` when libavcodec is not installed or memory is short.
cvideo_result cvideo_parse_access_unit(const uint8_t *_Nullable sets, size_t count_of_sets,
                                       const uint8_t *_Nullable bytes, size_t count, cvideo_access_unit *_Nonnull unit);

#ifdef __cplusplus
}
#endif

#endif
