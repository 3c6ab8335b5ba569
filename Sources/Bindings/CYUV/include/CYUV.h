// The API of libyuv, unchanged, and functions that Swift cannot call or that libyuv does not have. libyuv exports its
// colour matrices as structs by macros, which Swift cannot import. libyuv has no conversion of planes to the colours of
// JFIF.
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

/// Returns the BT.601 matrix for YUV to B, G, R, in static memory of libyuv that is never freed. There is no function
/// for libyuv's BT.709 matrix: libyuv cuts the factor of blue (2.11) to a value that fits a signed byte (1.98), which
/// is up to 15 levels off. See cyuv_convert_luma instead.
const struct YuvConstants *_Nonnull cyuv_matrix(int is_full_range);

/// Returns the BT.601 matrix for planes that the caller passes with U and V swapped. libyuv then writes R, G, B. The
/// matrix is static memory of libyuv that is never freed.
const struct YuvConstants *_Nonnull cyuv_swapped_matrix(int is_full_range);

/// Stretches `count` luma samples from 16...235 to 0...255, and clamps samples outside of that range. `target` may be
/// `source`. The function computes in 16-bit fixed point, because compilers can vectorise that and cannot vectorise a
/// look-up table.
void cyuv_expand_luma(const uint8_t *_Nonnull source, uint8_t *_Nonnull target, size_t count);

/// Stretches `count` chroma samples from 16...240 to 0...255 around 128, and clamps the results. `target` may be
/// `source`.
void cyuv_expand_chroma(const uint8_t *_Nonnull source, uint8_t *_Nonnull target, size_t count);

/// Compresses `count` luma samples from 0...255 to 16...235: the inverse of cyuv_expand_luma. `target` may be `source`.
void cyuv_compress_luma(const uint8_t *_Nonnull source, uint8_t *_Nonnull target, size_t count);

/// Compresses `count` chroma samples from 0...255 to 16...240 around 128: the inverse of cyuv_expand_chroma. `target`
/// may be `source`.
void cyuv_compress_chroma(const uint8_t *_Nonnull source, uint8_t *_Nonnull target, size_t count);

/// Makes `count` pixels of four bytes opaque by setting every fourth byte to 255.
void cyuv_set_opaque(uint8_t *_Nonnull pixels, size_t count);

/// The factors of a change of matrix and range. Base and offset are in code values, the other members are in units of
/// 1/16384.
///
/// y' = y_base + y_gain (y - y_offset) + y_from_u U + y_from_v V; u' = 128 + u_from_u U + u_from_v V;
/// v' = 128 + v_from_u U + v_from_v V; with U = u - 128, V = v - 128.
typedef struct cyuv_colors {
  int32_t y_base, y_offset, y_gain, y_from_u, y_from_v, u_from_u, u_from_v, v_from_u, v_from_v;
} cyuv_colors;

/// Applies `colors` to a line of `count` luma samples. The chroma has half as many samples, rounded up, and is only
/// read.
void cyuv_convert_luma(const cyuv_colors *_Nonnull colors, const uint8_t *_Nonnull y, const uint8_t *_Nonnull u,
                       const uint8_t *_Nonnull v, uint8_t *_Nonnull target, size_t count);

/// Applies `colors` to `count` pairs of chroma samples. The targets may be the sources.
void cyuv_convert_chroma(const cyuv_colors *_Nonnull colors, const uint8_t *_Nonnull u, const uint8_t *_Nonnull v,
                         uint8_t *_Nonnull target_u, uint8_t *_Nonnull target_v, size_t count);

/// The factors from R, G, B to luma and chroma. The offset is in code values, the factors are in units of 1/32768.
typedef struct cyuv_weights {
  int32_t y_offset, y_red, y_green, y_blue, u_red, u_green, u_blue, v_red, v_green, v_blue;
} cyuv_weights;

/// Converts pixels of B, G, R and an ignored fourth byte to 4:2:0 planes without padding. Each chroma sample is the
/// mean of two by two pixels. `width` and `height` must be even.
void cyuv_from_pixels(const cyuv_weights *_Nonnull weights, const uint8_t *_Nonnull pixels, size_t width, size_t height,
                      uint8_t *_Nonnull y, uint8_t *_Nonnull u, uint8_t *_Nonnull v);

/// The number of entries of each table of cyuv_tones.
#define CYUV_TONES 4096

/// The steps that map a picture with more light and colours than a screen has to colours that the screen can show.
///
/// Offsets and factors convert samples to R', G', B' of 0...1. The table `light` gives the light of each. The table
/// `gain`, indexed by the largest of the three, gives one factor that compresses all three into the light of a screen
/// and keeps the hue. The matrix `primaries`, row by row, converts the light to the primaries of BT.709. The table
/// `code`, indexed by the square root of light, gives the samples.
typedef struct cyuv_tones {
  float luma_offset, luma_gain, chroma_offset, red_from_v, green_from_u, green_from_v, blue_from_u;
  float primaries[9];
  const float *_Nonnull light, *_Nonnull gain, *_Nonnull code;
} cyuv_tones;

/// Two lines of a 4:2:0 picture. Samples are bytes or, when `is_wide` is 1, 16 bits of which the upper ten count.
typedef struct cyuv_tone_lines {
  const uint8_t *_Nonnull first, *_Nonnull second, *_Nonnull u, *_Nonnull v;
  /// The distance from one sample of U or V to the next, in samples: 2 when U and V alternate, else 1.
  size_t chroma_step;
  int is_wide;
} cyuv_tone_lines;

/// Maps two lines of `width` pixels to limited-range BT.709. To map a single line, the caller passes that line as both.
void cyuv_map_tones(const cyuv_tones *_Nonnull tones, const cyuv_tone_lines *_Nonnull source, uint8_t *_Nonnull first,
                    uint8_t *_Nonnull second, uint8_t *_Nonnull u, uint8_t *_Nonnull v, size_t width);

/// A plane of samples of 16 bits. The functions only read `samples`, which the caller lends for the call.
typedef struct cyuv_wide_plane {
  const uint8_t *_Nonnull samples;
  /// The bytes from the start of one line to the start of the next.
  size_t stride;
  size_t width, height;
  /// 1 when the upper byte of a sample comes first.
  int is_big_endian;
} cyuv_wide_plane;

/// The values of samples that are shown: `black` and all below it as black, `white` and all above it as white.
typedef struct cyuv_shown_values {
  uint32_t black, white;
} cyuv_shown_values;

/// The number of different values of a sample of 16 bits.
#define CYUV_WIDE_VALUES 65536

/// Finds the values that a plane uses, so that they can be shown from black to white. The lowest and the highest
/// thousandth of the samples (1/1024) do not count, so that some dead pixels do not matter. Where `white` would be less
/// than `least_span` above `black`, both move apart to that distance, within 0 to `largest`, or within 0 to the largest
/// value of the plane if that is larger. Of a large plane, the function counts only some lines, which have 2^18 samples
/// together.
///
/// `counters` are CYUV_WIDE_VALUES numbers, which the caller lends for the call; the function overwrites them.
cyuv_shown_values cyuv_used_values(const cyuv_wide_plane *_Nonnull plane, uint32_t largest, uint32_t least_span,
                                   uint32_t *_Nonnull counters);

/// Converts a plane to bytes: the values from `shown.black` to `shown.white` become evenly spaced numbers from `first`
/// to `last`, rounded. `target`, which the caller lends for the call, has lines of `target_stride` bytes.
void cyuv_stretch(const cyuv_wide_plane *_Nonnull plane, cyuv_shown_values shown, uint8_t first, uint8_t last,
                  uint8_t *_Nonnull target, size_t target_stride);

#ifdef __cplusplus
}
#endif
#endif
