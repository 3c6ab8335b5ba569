// The loops of photo fusion: pyramid, alignment, merge and denoising. Plain C that compilers vectorise, without state,
// memory of its own or threads. What it is for and why so is in the Swift module PhotoFusion.
#ifndef CPHOTOFUSION_H
#define CPHOTOFUSION_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  /// Samples that must be readable on each side of a full-size plane; chroma with half as many needs half of it.
  CFUSION_BORDER = 64,
  /// The same for the smaller levels of a pyramid.
  CFUSION_LEVEL_BORDER = 32,
  /// Side of a merged tile in luma samples, and from one to the next. They overlap by the difference.
  CFUSION_TILE = 32,
  CFUSION_STEP = 24,
  /// Side of the squares that share a weight.
  CFUSION_BLOCK = 8,
  /// Side of a searched tile on a smaller level.
  CFUSION_SEARCH_TILE = 16,
  /// Frames merged into the reference at most.
  CFUSION_OTHERS = 7,
};

/// A plane of samples with readable memory all around, filled with its edges.
typedef struct cfusion_plane {
  /// Its first sample, inside the border.
  const uint8_t *_Nullable origin;
  ptrdiff_t stride;
  int32_t width, height;
} cfusion_plane;

/// A shift in sixteenths of a sample: where the other frame shows what the reference shows here.
typedef struct cfusion_vector {
  int16_t x, y;
} cfusion_vector;

/// Shifts of tiles, line by line.
typedef struct cfusion_field {
  cfusion_vector *_Nonnull vectors;
  int32_t columns, rows;
} cfusion_field;

/// Copies a plane into bordered memory and repeats its edges, `horizontal` and `vertical` samples far.
void cfusion_copy(const uint8_t *_Nonnull source, ptrdiff_t source_stride, int32_t width, int32_t height,
                  uint8_t *_Nonnull target, ptrdiff_t stride, int32_t horizontal, int32_t vertical);

/// Makes the next level of a Gaussian pyramid, half as wide and high, rounded up; repeats its edges.
void cfusion_halve(cfusion_plane source, uint8_t *_Nonnull target, ptrdiff_t stride);

/// Finds whole-sample shifts on one level by the sum of absolute differences.
///
/// - coarse: the field of the level above (half this size), or of no columns at the top, where all shifts of up to
///   `radius` are tried.
/// - field: for tiles of CFUSION_SEARCH_TILE side by side; vectors are sixteenths of this level's samples, but whole.
void cfusion_search(cfusion_plane reference, cfusion_plane other, cfusion_field coarse, int32_t radius,
                    cfusion_field field);

/// Improves each vector of cfusion_search's field to a part of a sample, by one least-squares step.
void cfusion_refine_level(cfusion_plane reference, cfusion_plane other, cfusion_field field);

/// Finds the shifts of one row of full-size tiles: the best of the nearest in `coarse`, then least squares.
///
/// - coarse_scale: 2 when the field is of the level half this size, 1 when it is of this size.
void cfusion_refine(cfusion_plane reference, cfusion_plane other, cfusion_field coarse, int32_t coarse_scale,
                    int32_t row, cfusion_field field);

/// How noise grows with light: variance = read + shot * luma, in squared code values; chroma has one variance.
typedef struct cfusion_noise {
  float read, shot, chroma;
} cfusion_noise;

/// How often which noise was seen: rows of CFUSION_LEVELS counts, one for each eighth of an octave of variance from
/// 2^-4 on; the first is of what shows less, which is none. There is a row for each 16 values of luma, one for chroma,
/// and one for what shows none as dark or as bright as pictures get.
enum {
  CFUSION_LEVELS = 128,
  CFUSION_LEVELS_PER_OCTAVE = 8,
  CFUSION_FIRST_OCTAVE = -4,
  CFUSION_RANGES = 16,
  CFUSION_CHROMA = CFUSION_RANGES,
  CFUSION_CLIPPED = CFUSION_RANGES + 1,
  CFUSION_ROWS = CFUSION_RANGES + 2
};

/// The planes of one prepared frame.
typedef struct cfusion_frame {
  cfusion_plane luma, u, v;
} cfusion_frame;

/// What is merged: planes without chroma have no origin there.
typedef struct cfusion_burst {
  cfusion_frame reference;
  const cfusion_frame *_Nonnull others;
  /// One for each of the others.
  const cfusion_field *_Nonnull fields;
  /// 1 to CFUSION_OTHERS.
  int32_t count;
  /// 1 where chroma has half of luma's lines, else 0.
  int32_t halves_lines;
} cfusion_burst;

/// Counts the noise in every `step`-th tile of a row, from the differences between frames.
void cfusion_observe(const cfusion_burst *_Nonnull burst, int32_t row, int32_t step, int32_t *_Nonnull counts);

/// Counts the noise of a single frame, from second differences. Only noise that differs from sample to sample counts in
/// full; detail counts too.
void cfusion_observe_alone(cfusion_plane luma, cfusion_plane chroma, int32_t *_Nonnull counts);

/// What merging adds to the reference, in sixteenths of a code value. Starts at zero.
typedef struct cfusion_sum {
  /// The first sample of the picture. Tiles write up to CFUSION_STEP samples before it and CFUSION_TILE behind the end.
  int16_t *_Nullable origin;
  ptrdiff_t stride;
} cfusion_sum;

/// What one row of tiles merged into, and how much: `weights` has a value for each square of CFUSION_BLOCK, from 0,
/// nothing, to the number of other frames; its first entry is of the square one before the picture's first.
typedef struct cfusion_merged {
  cfusion_sum luma, u, v;
  float *_Nonnull weights;
  ptrdiff_t weights_stride;
  /// For each other frame the sum of its weights, grows.
  float *_Nonnull used;
} cfusion_merged;

/// Merges one row of tiles.
void cfusion_merge(const cfusion_burst *_Nonnull burst, cfusion_noise noise, int32_t row,
                   const cfusion_merged *_Nonnull merged);

/// What the interpolation of shifted frames leaves of each frequency of a cosine transform of 8 x 8, on the average.
typedef struct cfusion_response {
  /// Of the amplitude, and of the variance of noise.
  float amplitude[64], variance[64];
} cfusion_response;

/// - columns, lines: luma samples for each sample of the plane, 1 or 2.
void cfusion_measure_response(const cfusion_field *_Nonnull fields, int32_t count, int32_t columns, int32_t lines,
                              cfusion_response *_Nonnull response);

/// A plane to be written: `reference` plus `sum`, less what is noise.
typedef struct cfusion_shrink {
  cfusion_plane reference;
  cfusion_sum sum;
  /// As cfusion_merged has them, and how many samples of this plane make a square.
  const float *_Nonnull weights;
  ptrdiff_t weights_stride;
  int32_t block_width, block_height;
  /// Of a single frame: variance = read + shot * value.
  float read, shot;
  /// Up to where coefficients count as noise rather than detail, in its standard deviations; above 0.
  float threshold;
  const cfusion_response *_Nonnull response;
  uint8_t *_Nonnull target;
  ptrdiff_t target_stride;
} cfusion_shrink;

/// Writes lines from `first` on, a multiple of CFUSION_BLOCK, up to `end`.
void cfusion_write(const cfusion_shrink *_Nonnull plane, int32_t first, int32_t end);

/// Exposures that can be merged at once, at most.
enum { CFUSION_EXPOSURES = 8 };

/// One of several exposures of a scene, 4:2:0. Grey pictures have no chroma.
typedef struct cfusion_exposure {
  const uint8_t *_Nonnull luma;
  const uint8_t *_Nullable u, *_Nullable v;
  ptrdiff_t luma_stride, chroma_stride;
  /// As large as luma: how much of it counts where, of 255 for all exposures together. Written by cfusion_weigh.
  uint8_t *_Nonnull weights;
  ptrdiff_t weights_stride;
} cfusion_exposure;

/// Weighs exposures against each other, in lines from `first` up to `end`.
///
/// - full_range: 1 where samples span 0 to 255, else 0.
void cfusion_weigh(const cfusion_exposure *_Nonnull exposures, int32_t count, int32_t full_range, int32_t width,
                   int32_t height, int32_t first, int32_t end);

/// A level of a pyramid, without a border. The next one has half as many samples each way, rounded up, the first of
/// which lies on the first of this.
typedef struct cfusion_level {
  int16_t *_Nonnull samples;
  ptrdiff_t stride;
  int32_t width, height;
} cfusion_level;

/// Reads lines from `first` up to `end` of a plane into the largest level: code values in sixteenths.
void cfusion_read_samples(const uint8_t *_Nonnull plane, ptrdiff_t stride, cfusion_level level, int32_t first,
                          int32_t end);

/// The same of weights: 16384 for 255.
void cfusion_read_weights(const uint8_t *_Nonnull plane, ptrdiff_t stride, cfusion_level level, int32_t first,
                          int32_t end);

/// Makes lines of the next smaller level of a Gaussian pyramid.
void cfusion_reduce(cfusion_level level, cfusion_level smaller, int32_t first, int32_t end);

/// Adds to lines of `sum` the weighted difference between `level` and what `smaller` tells of it; without a smaller one
/// the weighted samples themselves.
void cfusion_blend(cfusion_level level, const cfusion_level *_Nullable smaller, cfusion_level weights,
                   cfusion_level sum, int32_t first, int32_t end);

/// Adds to lines of a level what the finished smaller one tells of it.
void cfusion_expand(cfusion_level smaller, cfusion_level level, int32_t first, int32_t end);

/// Writes lines of the finished largest level, as code values of `low` to `high`.
void cfusion_write_samples(cfusion_level level, uint8_t low, uint8_t high, uint8_t *_Nonnull plane, ptrdiff_t stride,
                           int32_t first, int32_t end);

#ifdef __cplusplus
}
#endif
#endif
