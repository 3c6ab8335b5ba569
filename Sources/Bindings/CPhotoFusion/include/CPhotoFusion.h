// The loops of photo fusion: pyramids, alignment, merge, denoising and the blending of exposures. This is plain C that
// compilers vectorise. The functions keep no state, allocate no memory and start no threads. The Swift module
// PhotoFusion explains the methods and the reasons for them.
#ifndef CPHOTOFUSION_H
#define CPHOTOFUSION_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  /// The number of samples that must be readable on each side of a full-size plane. A chroma plane with half as many
  /// samples needs half as many.
  CFUSION_BORDER = 64,
  /// The number of samples that must be readable on each side of the smaller levels of a pyramid.
  CFUSION_LEVEL_BORDER = 32,
  /// The side of a merged tile in luma samples, CFUSION_TILE, and the distance from one tile to the next, CFUSION_STEP.
  /// Adjacent tiles overlap by the difference.
  CFUSION_TILE = 32,
  CFUSION_STEP = 24,
  /// The side of the squares that share a weight, in luma samples.
  CFUSION_BLOCK = 8,
  /// The side of a searched tile on a smaller level, in samples of that level.
  CFUSION_SEARCH_TILE = 16,
  /// The largest number of frames that are merged into the reference.
  CFUSION_OTHERS = 7,
};

/// A plane of samples with readable memory on all sides, which repeats the samples at the edges.
typedef struct cfusion_plane {
  /// The plane's first sample, inside the border; null for a plane that the frame does not have.
  const uint8_t *_Nullable origin;
  ptrdiff_t stride;
  int32_t width, height;
} cfusion_plane;

/// A shift in sixteenths of a sample: the distance from a place in the reference to the place where another frame shows
/// the same thing.
typedef struct cfusion_vector {
  int16_t x, y;
} cfusion_vector;

/// The shifts of all tiles, row by row.
typedef struct cfusion_field {
  cfusion_vector *_Nonnull vectors;
  int32_t columns, rows;
} cfusion_field;

/// Copies a plane into memory with a border, and fills the border with the samples at the edges. The border is
/// `horizontal` samples wide on the left and right, and `vertical` samples high above and below.
void cfusion_copy(const uint8_t *_Nonnull source, ptrdiff_t source_stride, int32_t width, int32_t height,
                  uint8_t *_Nonnull target, ptrdiff_t stride, int32_t horizontal, int32_t vertical);

/// Makes the next level of a Gaussian pyramid, which has half the width and height, rounded up. The function fills the
/// border of the level with the samples at its edges.
void cfusion_halve(cfusion_plane source, uint8_t *_Nonnull target, ptrdiff_t stride);

/// Finds whole-sample shifts on one level of a pyramid, by the smallest sum of absolute differences.
///
/// - coarse: the field of the next smaller level, which has half this size. At the top there is none: its number of
///   columns is then 0, and the function tries all shifts of up to `radius` samples.
/// - field: receives the shifts of tiles of CFUSION_SEARCH_TILE side by side. Vectors are whole samples of this level,
///   in units of a sixteenth.
void cfusion_search(cfusion_plane reference, cfusion_plane other, cfusion_field coarse, int32_t radius,
                    cfusion_field field);

/// Improves each vector of a field of cfusion_search to fractions of a sample, by one least-squares step.
void cfusion_refine_level(cfusion_plane reference, cfusion_plane other, cfusion_field field);

/// Finds the shifts of one row of full-size tiles. The function takes the best of the four nearest vectors in `coarse`,
/// and improves it by least squares.
///
/// - coarse_scale: 2 when `coarse` belongs to the level of half this size, 1 when `coarse` belongs to this size.
void cfusion_refine(cfusion_plane reference, cfusion_plane other, cfusion_field coarse, int32_t coarse_scale,
                    int32_t row, cfusion_field field);

/// A model of how noise grows with light, in squared code values. The variance of luma is read + shot * luma, and both
/// chroma components have the variance `chroma`.
typedef struct cfusion_noise {
  float read, shot, chroma;
} cfusion_noise;

/// The shape of a histogram of observed variances. A histogram has CFUSION_ROWS rows of CFUSION_LEVELS counts.
///
/// Each count after the first of a row covers an eighth of an octave of variance, beginning at 2^-4. The first count of
/// a row is the number of squares with less variance, which show no noise. There is one row for each 16 values of luma,
/// one row for chroma, and one row for squares without noise that are as dark or as bright as pictures get.
enum {
  CFUSION_LEVELS = 128,
  CFUSION_LEVELS_PER_OCTAVE = 8,
  CFUSION_FIRST_OCTAVE = -4,
  CFUSION_RANGES = 16,
  CFUSION_CHROMA = CFUSION_RANGES,
  CFUSION_CLIPPED = CFUSION_RANGES + 1,
  CFUSION_ROWS = CFUSION_RANGES + 2
};

/// The planes of one prepared frame. The chroma planes of a grey frame have no origin.
typedef struct cfusion_frame {
  cfusion_plane luma, u, v;
} cfusion_frame;

/// The frames that are merged. When the frames have no chroma, the chroma planes of the reference have no origin.
typedef struct cfusion_burst {
  cfusion_frame reference;
  const cfusion_frame *_Nonnull others;
  /// The shifts of each of the other frames.
  const cfusion_field *_Nonnull fields;
  /// The number of other frames, 1 to CFUSION_OTHERS.
  int32_t count;
  /// 1 when chroma has half as many lines as luma, else 0.
  int32_t halves_lines;
} cfusion_burst;

/// Adds the variances in every `step`-th tile of a row of tiles to the histogram `counts`. The variances are those of
/// the differences between frames.
void cfusion_observe(const cfusion_burst *_Nonnull burst, int32_t row, int32_t step, int32_t *_Nonnull counts);

/// Adds the variances of a single frame to the histogram `counts`. The variances are those of second differences. Only
/// noise that is independent from sample to sample counts in full, and detail counts as noise too.
void cfusion_observe_alone(cfusion_plane luma, cfusion_plane chroma, int32_t *_Nonnull counts);

/// The sum that merging adds to one plane of the reference, in sixteenths of a code value. The caller sets the sum to
/// zero before the first row of tiles.
typedef struct cfusion_sum {
  /// The sum for the first sample of the picture; null for a plane that the picture does not have. Tiles write up to
  /// CFUSION_TILE - CFUSION_STEP samples before the picture on the left and above, and up to CFUSION_TILE samples after
  /// its end.
  int16_t *_Nullable origin;
  ptrdiff_t stride;
} cfusion_sum;

/// The results of merging: the sums of the planes, and how much was merged at each place.
///
/// `weights` has a value for each square of CFUSION_BLOCK, from 0, where nothing was merged, to the number of other
/// frames. Its first entry belongs to the square one column before and one row above the first square of the picture.
typedef struct cfusion_merged {
  cfusion_sum luma, u, v;
  float *_Nonnull weights;
  ptrdiff_t weights_stride;
  /// The sum of the weights of each other frame, in tiles. cfusion_merge adds to these sums.
  float *_Nonnull used;
} cfusion_merged;

/// Merges one row of tiles into `merged`.
void cfusion_merge(const cfusion_burst *_Nonnull burst, cfusion_noise noise, int32_t row,
                   const cfusion_merged *_Nonnull merged);

/// The part of each frequency that the interpolation of shifted frames leaves, as an average over all tiles. The
/// frequencies are those of a cosine transform of 8 x 8 samples.
typedef struct cfusion_response {
  /// The remaining part of the amplitude of detail, and the remaining part of the variance of noise.
  float amplitude[64], variance[64];
} cfusion_response;

/// Measures the response of the interpolation by the shifts in `fields`.
///
/// - columns, lines: the number of luma samples for each sample of the plane, across and down: 1 or 2.
void cfusion_measure_response(const cfusion_field *_Nonnull fields, int32_t count, int32_t columns, int32_t lines,
                              cfusion_response *_Nonnull response);

/// One plane of the photo that cfusion_write writes: `reference` plus `sum`, without the noise.
typedef struct cfusion_shrink {
  cfusion_plane reference;
  cfusion_sum sum;
  /// The weights of cfusion_merged, and the width and height in samples of this plane that share a weight.
  const float *_Nonnull weights;
  ptrdiff_t weights_stride;
  int32_t block_width, block_height;
  /// The noise of a single frame: variance = read + shot * value.
  float read, shot;
  /// The limit up to which coefficients count as noise rather than detail, in standard deviations of the noise. The
  /// limit must be above 0.
  float threshold;
  const cfusion_response *_Nonnull response;
  uint8_t *_Nonnull target;
  ptrdiff_t target_stride;
} cfusion_shrink;

/// Writes the lines from `first`, which must be a multiple of CFUSION_BLOCK, up to but not including `end`.
void cfusion_write(const cfusion_shrink *_Nonnull plane, int32_t first, int32_t end);

/// The largest number of exposures that can be merged at once.
enum { CFUSION_EXPOSURES = 8 };

/// One of several exposures of a scene, in 4:2:0 or grey. `u` and `v` are null for grey.
typedef struct cfusion_exposure {
  const uint8_t *_Nonnull luma;
  const uint8_t *_Nullable u, *_Nullable v;
  ptrdiff_t luma_stride, chroma_stride;
  /// The weight of this exposure at each sample of luma. The weights of all exposures add up to 255. cfusion_weigh
  /// writes the weights.
  uint8_t *_Nonnull weights;
  ptrdiff_t weights_stride;
} cfusion_exposure;

/// Computes the weights of all exposures, in lines from `first` up to but not including `end`.
///
/// - full_range: 1 when samples span 0 to 255, else 0.
void cfusion_weigh(const cfusion_exposure *_Nonnull exposures, int32_t count, int32_t full_range, int32_t width,
                   int32_t height, int32_t first, int32_t end);

/// A level of a pyramid, without a border. The next level has half as many samples in each direction, rounded up, and
/// its first sample lies at the first sample of this level.
typedef struct cfusion_level {
  int16_t *_Nonnull samples;
  ptrdiff_t stride;
  int32_t width, height;
} cfusion_level;

/// Reads the lines from `first` up to but not including `end` of a plane into the largest level, as code values in
/// sixteenths.
void cfusion_read_samples(const uint8_t *_Nonnull plane, ptrdiff_t stride, cfusion_level level, int32_t first,
                          int32_t end);

/// Reads the lines from `first` up to but not including `end` of a plane of weights into the largest level. The weight
/// 255 becomes 16384.
void cfusion_read_weights(const uint8_t *_Nonnull plane, ptrdiff_t stride, cfusion_level level, int32_t first,
                          int32_t end);

/// Makes the lines from `first` up to but not including `end` of the next smaller level of a Gaussian pyramid.
void cfusion_reduce(cfusion_level level, cfusion_level smaller, int32_t first, int32_t end);

/// Adds the weighted detail of `level` to the lines from `first` up to but not including `end` of `sum`. The detail is
/// the difference between `level` and the expansion of `smaller`. When `smaller` is null, the function adds the
/// weighted samples themselves.
void cfusion_blend(cfusion_level level, const cfusion_level *_Nullable smaller, cfusion_level weights,
                   cfusion_level sum, int32_t first, int32_t end);

/// Adds the expansion of the finished level `smaller` to the lines from `first` up to but not including `end` of
/// `level`.
void cfusion_expand(cfusion_level smaller, cfusion_level level, int32_t first, int32_t end);

/// Writes the lines from `first` up to but not including `end` of the finished largest level into a plane, as code
/// values clamped to `low` and `high`.
void cfusion_write_samples(cfusion_level level, uint8_t low, uint8_t high, uint8_t *_Nonnull plane, ptrdiff_t stride,
                           int32_t first, int32_t end);

#ifdef __cplusplus
}
#endif
#endif
