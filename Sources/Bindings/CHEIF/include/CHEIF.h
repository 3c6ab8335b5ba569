// HEIC by libheif, which is loaded when the first picture is encoded: it brings x265, libde265, dav1d and libaom along,
// which would otherwise cost every start of a daemon that nobody asks for HEIC.
#ifndef CHEIF_H
#define CHEIF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A picture in 4:2:0, full-range BT.601. Borrowed for the call.
typedef struct cheif_picture {
  const uint8_t *_Nonnull y;
  const uint8_t *_Nonnull u;
  const uint8_t *_Nonnull v;
  /// Bytes from line to line; 0 shows one line again and again.
  ptrdiff_t y_stride;
  ptrdiff_t u_stride;
  ptrdiff_t v_stride;
  int width;
  int height;
} cheif_picture;

/// Whether there is such a library as far as can be told without loading it; once it was loaded, whether it can encode.
/// From any thread, without waiting.
bool cheif_is_available(void);

/// Encodes a HEIC file in sRGB, on the calling thread and one more of the same niceness.
///
/// - thumbnail: embedded beside the picture; null for none.
/// - quality: 1 to 100.
/// - exif, exif_count: a TIFF file, borrowed for the call; none when the count is 0.
/// - message: on failure a terminated sentence without a full stop.
/// - Returns: owned by the caller, who ends it with free; null on failure, after which cheif_is_available tells whether
/// it was
///   for want of the library.
uint8_t *_Nullable cheif_write(const cheif_picture *_Nonnull picture, const cheif_picture *_Nullable thumbnail,
                               int quality, const uint8_t *_Nullable exif, size_t exif_count, size_t *_Nonnull count,
                               char message[_Nonnull 160]);

#ifdef __cplusplus
}
#endif
#endif
