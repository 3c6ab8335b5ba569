// libyuv as it is, plus what Swift cannot reach or libyuv does not have: its colour matrices, which are macro-exported
// structs, and the conversion of planes to the colours of JFIF.
#ifndef CYUV_H
#define CYUV_H

#include <libyuv/convert.h>
#include <libyuv/convert_argb.h>
#include <libyuv/convert_from.h>
#include <libyuv/convert_from_argb.h>
#include <libyuv/planar_functions.h>
#include <libyuv/rotate.h>
#include <libyuv/rotate_argb.h>
#include <libyuv/scale.h>
#include <libyuv/scale_argb.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The BT.601 matrix for YUV to B, G, R. Static memory of libyuv, never freed. libyuv's BT.709 is not offered: it cuts
/// the factor of blue (2.11) to what fits a signed byte (1.98), up to 15 levels off; see cyuv_convert_luma.
const struct YuvConstants *_Nonnull cyuv_matrix(int is_full_range);

/// The same for planes handed over with U and V swapped, which makes libyuv write R, G, B.
const struct YuvConstants *_Nonnull cyuv_swapped_matrix(int is_full_range);

/// Stretches `count` luma samples from 16...235 to 0...255, beyond that clamped. In place is allowed.
/// Plain fixed-point arithmetic in 16 bits: compilers vectorise it, a look-up table they cannot.
void cyuv_expand_luma(const uint8_t *_Nonnull source, uint8_t *_Nonnull target, size_t count);

/// Stretches `count` chroma samples from 16...240 to 0...255 around 128, clamped. In place is allowed.
void cyuv_expand_chroma(const uint8_t *_Nonnull source, uint8_t *_Nonnull target, size_t count);

/// The inverse of cyuv_expand_luma: 0...255 to 16...235. In place is allowed.
void cyuv_compress_luma(const uint8_t *_Nonnull source, uint8_t *_Nonnull target, size_t count);

/// The inverse of cyuv_expand_chroma: 0...255 to 16...240 around 128. In place is allowed.
void cyuv_compress_chroma(const uint8_t *_Nonnull source, uint8_t *_Nonnull target, size_t count);

/// Makes `count` pixels of four bytes opaque: sets every fourth byte to 255.
void cyuv_set_opaque(uint8_t *_Nonnull pixels, size_t count);

/// A change of matrix, in units of 1/16384:
/// y' = y_gain (y - y_offset) + y_from_u U + y_from_v V; u' = 128 + u_from_u U + u_from_v V; v' likewise,
/// with U = u - 128, V = v - 128.
typedef struct cyuv_colors {
  int32_t y_offset, y_gain, y_from_u, y_from_v, u_from_u, u_from_v, v_from_u, v_from_v;
} cyuv_colors;

/// Applies `colors` to a line of luma whose chroma has half as many samples; the chroma is only read.
void cyuv_convert_luma(const cyuv_colors *_Nonnull colors, const uint8_t *_Nonnull y, const uint8_t *_Nonnull u,
                       const uint8_t *_Nonnull v, uint8_t *_Nonnull target, size_t count);

/// Applies `colors` to `count` pairs of chroma samples. In place is allowed.
void cyuv_convert_chroma(const cyuv_colors *_Nonnull colors, const uint8_t *_Nonnull u, const uint8_t *_Nonnull v,
                         uint8_t *_Nonnull target_u, uint8_t *_Nonnull target_v, size_t count);

/// From R, G, B to luma and chroma, in units of 1/32768.
typedef struct cyuv_weights {
  int32_t y_offset, y_red, y_green, y_blue, u_red, u_green, u_blue, v_red, v_green, v_blue;
} cyuv_weights;

/// Turns pixels of B, G, R and a byte that means nothing here into 4:2:0 planes without padding, chroma by the mean of
/// two by two. `width` and `height` are even.
void cyuv_from_pixels(const cyuv_weights *_Nonnull weights, const uint8_t *_Nonnull pixels, size_t width, size_t height,
                      uint8_t *_Nonnull y, uint8_t *_Nonnull u, uint8_t *_Nonnull v);

/// Entries of each table of cyuv_tones.
#define CYUV_TONES 4096

/// How more light and more colours than a screen has become what it shows.
///
/// Samples become R', G', B' of 0...1 by offsets and factors; `light` makes light of each; `gain`, by the largest of
/// the three, brings it into what there is, hue kept; `primaries`, row by row, turns it into the colours of BT.709; and
/// `code`, by the square root of light, makes samples of that.
typedef struct cyuv_tones {
  float luma_offset, luma_gain, chroma_offset, red_from_v, green_from_u, green_from_v, blue_from_u;
  float primaries[9];
  const float *_Nonnull light, *_Nonnull gain, *_Nonnull code;
} cyuv_tones;

/// Two lines of 4:2:0. Samples are bytes, or, `is_wide`, 16 bits of which the upper ten count.
typedef struct cyuv_tone_lines {
  const uint8_t *_Nonnull first, *_Nonnull second, *_Nonnull u, *_Nonnull v;
  /// Samples from one of chroma to the next: 2 where U and V take turns.
  size_t chroma_step;
  int is_wide;
} cyuv_tone_lines;

/// Maps two lines to limited-range BT.709; for one line give it twice.
void cyuv_map_tones(const cyuv_tones *_Nonnull tones, const cyuv_tone_lines *_Nonnull source, uint8_t *_Nonnull first,
                    uint8_t *_Nonnull second, uint8_t *_Nonnull u, uint8_t *_Nonnull v, size_t width);

#ifdef __cplusplus
}
#endif
#endif
