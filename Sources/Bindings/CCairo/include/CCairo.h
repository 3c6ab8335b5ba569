// cairo as it is, plus what has to be fast on its pixels.
#ifndef CCAIRO_H
#define CCAIRO_H

#include <cairo/cairo.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The smallest rectangle with every pixel that is not transparent, grown to even coordinates (the picture's chroma is
// shared by two by two pixels). `pixels` are rows of `width` 32-bit ARGB words, `stride` bytes apart. Returns 0 when
// there is none.
int CCairo_bounds(const uint8_t *_Nonnull pixels, int width, int height, int stride, int *_Nonnull left,
                  int *_Nonnull top, int *_Nonnull right, int *_Nonnull bottom);

// The pixels of a PNG file, by its first 24 bytes alone. 0 when it is no PNG, or more than `largest_side` wide or high.
int64_t CCairo_png_pixels(const uint8_t *_Nonnull bytes, size_t count, int largest_side);

// A picture of a PNG file of `count` bytes, which are borrowed for the call, at most `largest_side` wide and high. The
// caller owns the surface. NULL when it is no PNG, too large, or damaged.
cairo_surface_t *_Nullable CCairo_read_png(const uint8_t *_Nonnull bytes, size_t count, int largest_side);

#ifdef __cplusplus
}
#endif
#endif
