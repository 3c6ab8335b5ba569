// Writes PNG with libpng, and returns errors as results. libpng reports errors by a callback that must not return,
// which Swift cannot implement. No function of this module exits the process, prints, or unwinds into the caller.
#ifndef CPNG_H
#define CPNG_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Rows of pixels, which the caller lends for the call. A pixel has three bytes, R, G and B, or one byte when `is_grey`
/// is 1. Rows are `stride` bytes apart.
typedef struct cpng_picture {
  const uint8_t *_Nonnull pixels;
  ptrdiff_t stride;
  int width;
  int height;
  int is_grey;
} cpng_picture;

/// Writes a PNG file in sRGB.
///
/// - exif, exif_count: a TIFF file for the eXIf chunk, borrowed for the call; a count of 0 embeds none.
/// - count: on success, the number of bytes of the file.
/// - message: on failure, a terminated text without a full stop.
/// - Returns: the file, which the caller owns and ends with free; null on failure.
uint8_t *_Nullable cpng_write(const cpng_picture *_Nonnull picture, const uint8_t *_Nullable exif, size_t exif_count,
                              size_t *_Nonnull count, char message[_Nonnull 160]);

#ifdef __cplusplus
}
#endif
#endif
