// The API of cairo, unchanged, and functions on its pixels that have to be fast.
#ifndef CCAIRO_H
#define CCAIRO_H

#include <cairo/cairo.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Finds the smallest rectangle that holds every pixel that is not transparent, and enlarges it to even coordinates,
// because two by two pixels of a picture share their chroma. `right` and `bottom` are the first column and line after
// the rectangle. `pixels` are rows of `width` 32-bit ARGB words, and rows are `stride` bytes apart; the function only
// reads them. Returns 1, or 0 when every pixel is transparent; the rectangle is then left unset.
int CCairo_bounds(const uint8_t *_Nonnull pixels, int width, int height, int stride, int *_Nonnull left,
                  int *_Nonnull top, int *_Nonnull right, int *_Nonnull bottom);

// Returns the number of pixels of a PNG file from its first 24 bytes, which are borrowed for the call. Returns 0 when
// the file is not PNG, when `count` is less than 24, or when the picture is more than `largest_side` pixels wide or
// high.
int64_t CCairo_png_pixels(const uint8_t *_Nonnull bytes, size_t count, int largest_side);

// Decodes a PNG file of `count` bytes, which are borrowed for the call, into a surface of at most `largest_side` pixels
// in width and height. The caller owns the surface, and ends it with cairo_surface_destroy. Returns NULL when the file
// is not PNG, is too large, or is damaged.
cairo_surface_t *_Nullable CCairo_read_png(const uint8_t *_Nonnull bytes, size_t count, int largest_side);

#ifdef __cplusplus
}
#endif
#endif
