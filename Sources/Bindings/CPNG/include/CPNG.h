// libpng, its errors as results: libpng reports them by a callback that must not return, which Swift cannot do. Nothing
// here ever exits the process, prints, or unwinds into the caller.
#ifndef CPNG_H
#define CPNG_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Pixels of R, G, B or, when `is_grey`, one byte. Borrowed for the call.
typedef struct cpng_picture {
  const uint8_t *_Nonnull pixels;
  ptrdiff_t stride;
  int width;
  int height;
  int is_grey;
} cpng_picture;

/// Writes a PNG file in sRGB.
///
/// - exif, exif_count: a TIFF file for the eXIf chunk, borrowed for the call; none when the count is 0.
/// - message: on failure a terminated sentence without a full stop.
/// - Returns: owned by the caller, who ends it with free; null on failure.
uint8_t *_Nullable cpng_write(const cpng_picture *_Nonnull picture, const uint8_t *_Nullable exif, size_t exif_count,
                              size_t *_Nonnull count, char message[_Nonnull 160]);

#ifdef __cplusplus
}
#endif
#endif
