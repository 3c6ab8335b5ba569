#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "kernels.h"

enum { BLOCKS = CFUSION_TILE / CFUSION_BLOCK };

// The weight of a block depends on the ratio of its squared difference to the squared difference that noise explains.
// Up to `accepted` the block counts in full, and from `rejected` on not at all. With 64 samples, noise alone stays
// below 1.3 in 95 of 100 blocks. A ratio between both limits mostly shows detail that interpolation blurred. Such a
// block counts less, because seven frames with the same blur would outvote the reference.
static const float accepted = 1.3f, rejected = 2.5f;
// The limits for the difference between the means of a block. Noise moves a mean little, so the mean reveals shadows
// and slow changes of light.
static const float mean_accepted = 6.f, mean_rejected = 14.f;
// A sample has changed when its difference is more than so many standard deviations of what noise explains. Each sample
// is checked even when its block matches well, because a single changed sample hardly shows in a block of 64.
static const float changed = 4.5f;

// The differences of one frame from the reference in one tile, and their sums and squares for each block.
typedef struct comparison {
  int16_t y[32 * 32], u[16 * 32], v[16 * 32];
  int32_t squares[BLOCKS][BLOCKS], sums[BLOCKS][BLOCKS];
  int32_t chroma_squares[BLOCKS][BLOCKS];
  float luma_left, chroma_left;
} comparison;

// Computes d = warped - reference, where `warped` are the samples of the other frame, interpolated by `shift`.
INLINE void subtract(const cfusion_plane *reference, const cfusion_plane *other, int32_t x, int32_t y,
                     cfusion_vector shift, const int width, const int height, int16_t *restrict d) {
  warp(other->origin + y * other->stride + x, other->stride, shift, width, height, d);
  const uint8_t *r = reference->origin + y * reference->stride + x;
  for (int row = 0; row < height; row++, r += reference->stride, d += width) {
    for (int i = 0; i < width; i++) {
      const int16_t value = (int16_t)(d[i] + 128 - r[i]);
      d[i] = value < -255 ? -255 : value > 255 ? 255 : value;
    }
  }
}

INLINE void add_squares(const int16_t *d, const int width, const int height, int32_t squares[BLOCKS][BLOCKS]) {
  for (int b = 0; b < BLOCKS; b++) {
    int32_t columns[32] = {0};
    for (int row = b * (height / BLOCKS); row < (b + 1) * (height / BLOCKS); row++) {
      for (int i = 0; i < width; i++) columns[i] += (int32_t)d[row * width + i] * d[row * width + i];
    }
    for (int k = 0; k < BLOCKS; k++) {
      for (int i = 0; i < width / BLOCKS; i++) squares[b][k] += columns[k * (width / BLOCKS) + i];
    }
  }
}

INLINE void add_samples(const int16_t *d, int32_t sums[BLOCKS][BLOCKS]) {
  for (int b = 0; b < BLOCKS; b++) {
    int16_t columns[32] = {0};
    for (int row = 8 * b; row < 8 * b + 8; row++) {
      for (int i = 0; i < 32; i++) columns[i] = (int16_t)(columns[i] + d[row * 32 + i]);
    }
    for (int k = 0; k < BLOCKS; k++) {
      for (int i = 0; i < 8; i++) sums[b][k] += columns[8 * k + i];
    }
  }
}

INLINE void compare(const cfusion_burst *burst, int32_t other, int32_t x, int32_t y, cfusion_vector shift,
                    const int chroma_height, comparison *restrict c) {
  const cfusion_frame *a = &burst->reference, *b = &burst->others[other];
  subtract(&a->luma, &b->luma, x, y, shift, 32, 32, c->y);
  memset(c->squares, 0, sizeof c->squares);
  memset(c->sums, 0, sizeof c->sums);
  memset(c->chroma_squares, 0, sizeof c->chroma_squares);
  add_squares(c->y, 32, 32, c->squares);
  add_samples(c->y, c->sums);
  c->luma_left = noise_left(shift);
  if (chroma_height == 0) return;
  // A shift of a sixteenth of a luma sample is a shift of a thirty-second of a chroma sample.
  const int lines = 32 / chroma_height;
  const cfusion_vector half = {(int16_t)((shift.x + 1) >> 1), lines == 2 ? (int16_t)((shift.y + 1) >> 1) : shift.y};
  subtract(&a->u, &b->u, x / 2, y / lines, half, 16, chroma_height, c->u);
  subtract(&a->v, &b->v, x / 2, y / lines, half, 16, chroma_height, c->v);
  add_squares(c->u, 16, chroma_height, c->chroma_squares);
  add_squares(c->v, 16, chroma_height, c->chroma_squares);
  c->chroma_left = noise_left(half);
}

INLINE void mean_blocks(const cfusion_plane *luma, int32_t x, int32_t y, float means[BLOCKS][BLOCKS]) {
  const uint8_t *line = luma->origin + y * luma->stride + x;
  for (int b = 0; b < BLOCKS; b++) {
    uint16_t columns[32] = {0};
    for (int row = 0; row < 8; row++, line += luma->stride) {
      for (int i = 0; i < 32; i++) columns[i] = (uint16_t)(columns[i] + line[i]);
    }
    for (int k = 0; k < BLOCKS; k++) {
      int32_t sum = 0;
      for (int i = 0; i < 8; i++) sum += columns[8 * k + i];
      means[b][k] = (float)sum / 64;
    }
  }
}

INLINE float share(float value, float full, float none) {
  return fminf(fmaxf((none - value) / (none - full), 0), 1);
}

// Computes the weight of each block, 0 to 128.
INLINE void weigh(const comparison *c, const float means[BLOCKS][BLOCKS], cfusion_noise noise, const int chroma_height,
                  int16_t weights[BLOCKS][BLOCKS]) {
  for (int b = 0; b < BLOCKS; b++) {
    for (int k = 0; k < BLOCKS; k++) {
      const float variance = noise.read + noise.shot * means[b][k];
      const float total = (float)c->squares[b][k] / (64 * variance * (1 + c->luma_left));
      const float sum = (float)c->sums[b][k];
      // The noise of both frames counts in full here, hence the 2. Interpolation smooths the noise of single samples of
      // the other frame (`luma_left`), but a mean of 64 samples keeps its noise.
      const float mean = sum * sum / (64 * 2 * variance);
      float weight = fminf(share(total, accepted, rejected), share(mean, mean_accepted, mean_rejected));
      if (chroma_height > 0) {
        const float count = 2 * 4 * (float)chroma_height / BLOCKS;
        const float chroma = (float)c->chroma_squares[b][k] / (count * noise.chroma * (1 + c->chroma_left));
        weight = fminf(weight, share(chroma, accepted, rejected));
      }
      weights[b][k] = (int16_t)(weight * 128 + 0.5f);
    }
  }
}

INLINE int16_t most_from_noise(float variance) {
  return (int16_t)fminf(changed * sqrtf(variance) + 0.5f, 256);
}

// Sets the differences of samples that have changed to zero. In these samples the photo keeps the reference.
INLINE void drop_changed(const int16_t limits[BLOCKS][BLOCKS], const int width, const int height, int16_t *restrict d) {
  for (int b = 0; b < BLOCKS; b++) {
    int16_t most[32];
    for (int i = 0; i < width; i++) most[i] = limits[b][i / (width / BLOCKS)];
    for (int row = 0; row < height / BLOCKS; row++, d += width) {
      for (int i = 0; i < width; i++) d[i] = d[i] > most[i] || d[i] < -most[i] ? 0 : d[i];
    }
  }
}

INLINE void drop_all_changed(const float means[BLOCKS][BLOCKS], cfusion_noise noise, const int chroma_height,
                             comparison *restrict c) {
  int16_t limits[BLOCKS][BLOCKS], chroma_limits[BLOCKS][BLOCKS];
  for (int b = 0; b < BLOCKS; b++) {
    for (int k = 0; k < BLOCKS; k++) {
      limits[b][k] = most_from_noise((noise.read + noise.shot * means[b][k]) * (1 + c->luma_left));
      chroma_limits[b][k] = most_from_noise(noise.chroma * (1 + c->chroma_left));
    }
  }
  drop_changed(limits, 32, 32, c->y);
  if (chroma_height == 0) return;
  drop_changed(chroma_limits, 16, chroma_height, c->u);
  drop_changed(chroma_limits, 16, chroma_height, c->v);
}

// Computes a weight for each corner of the blocks: the least weight of the blocks around the corner. A rejected block
// therefore has no weight up to its edges.
INLINE void lower(const int16_t weights[BLOCKS][BLOCKS], int16_t corners[BLOCKS + 1][BLOCKS + 1]) {
  for (int b = 0; b <= BLOCKS; b++) {
    for (int k = 0; k <= BLOCKS; k++) {
      const int top = max_of(b - 1, 0), bottom = min_of(b, BLOCKS - 1), left = max_of(k - 1, 0),
                right = min_of(k, BLOCKS - 1);
      corners[b][k] = (int16_t)min_of(min_of(weights[top][left], weights[top][right]),
                                      min_of(weights[bottom][left], weights[bottom][right]));
    }
  }
}

// Interpolates the weights of corners along the line between them.
INLINE void spread(const int16_t corners[BLOCKS + 1], const int width, int16_t *restrict line) {
  const int side = width / BLOCKS;
  for (int k = 0; k < BLOCKS; k++) {
    for (int i = 0; i < side; i++) {
      const int part = 2 * i + 1;
      line[k * side + i] = (int16_t)((corners[k] * (2 * side - part) + corners[k + 1] * part + side) / (2 * side));
    }
  }
}

// The sums of weighted differences and of weights that the other frames add to one plane of a tile.
typedef struct tally {
  int16_t differences[32 * 32], weights[32 * 32];
} tally;

INLINE void add(const int16_t *d, const int16_t corners[BLOCKS + 1][BLOCKS + 1], const int width, const int height,
                tally *restrict t) {
  const int side = height / BLOCKS, shift = side == 8 ? 4 : 3;
  int16_t lines[BLOCKS + 1][32];
  for (int b = 0; b <= BLOCKS; b++) spread(corners[b], width, lines[b]);
  for (int row = 0; row < height; row++) {
    const int16_t *above = lines[row / side], *below = lines[row / side + 1];
    const int16_t part = (int16_t)(2 * (row % side) + 1), rest = (int16_t)(2 * side - part), half = (int16_t)side;
    int16_t *sums = t->differences + row * width, *total = t->weights + row * width;
    for (int i = 0; i < width; i++) {
      const int16_t w = (int16_t)((int16_t)(above[i] * rest + below[i] * part + half) >> shift);
      total[i] = (int16_t)(total[i] + w);
      sums[i] = (int16_t)(sums[i] + ((int16_t)(d[row * width + i] * w + 4) >> 3));
    }
  }
}

// Adds the difference between the weighted mean and the reference to `sum`, multiplied by the window of the tile. The
// window is a raised cosine where tiles overlap.
INLINE void put(const tally *t, const cfusion_sum *sum, int32_t x, int32_t y, const int width, const int height) {
  static const float rise4[4] = {0.0380602f, 0.3086583f, 0.6913417f, 0.9619398f};
  static const float rise8[8] = {0.0096074f, 0.0842652f, 0.2222149f, 0.4024549f,
                                 0.5975451f, 0.7777851f, 0.9157348f, 0.9903926f};
  float window[32];
  const int ramp = width / 4;
  for (int i = 0; i < width; i++) window[i] = 128;
  for (int i = 0; i < ramp; i++) {
    window[i] *= ramp == 8 ? rise8[i] : rise4[i];
    window[width - 1 - i] = window[i];
  }
  for (int row = 0; row < height; row++) {
    const int side = height / 4, edge = min_of(row, height - 1 - row);
    const float down = edge >= side ? 1 : side == 8 ? rise8[edge] : rise4[edge];
    const int16_t *d = t->differences + row * width, *w = t->weights + row * width;
    int16_t *target = sum->origin + (y + row) * sum->stride + x;
    for (int i = 0; i < width; i++) {
      const float value = (float)d[i] * (window[i] * down) / (128 + (float)w[i]);
      // Rounds to the nearest integer. Adding 8192 makes the value positive, because the conversion truncates.
      target[i] = (int16_t)(target[i] + ((int32_t)(value + 8192.5f) - 8192));
    }
  }
}

INLINE void merge(const cfusion_burst *burst, cfusion_noise noise, int32_t row, const cfusion_merged *merged,
                  const int chroma_height) {
  const int32_t y = tile_start(row), columns = burst->fields[0].columns;
  const int lines = chroma_height == 16 ? 2 : 1;
  for (int32_t column = 0; column < columns; column++) {
    const int32_t x = tile_start(column);
    float means[BLOCKS][BLOCKS], counted[BLOCKS][BLOCKS] = {{0}};
    mean_blocks(&burst->reference.luma, x, y, means);
    tally luma, u, v;
    memset(&luma, 0, sizeof luma);
    if (chroma_height > 0) {
      memset(&u, 0, sizeof u);
      memset(&v, 0, sizeof v);
    }
    for (int32_t i = 0; i < burst->count; i++) {
      comparison c;
      compare(burst, i, x, y, burst->fields[i].vectors[row * columns + column], chroma_height, &c);
      int16_t weights[BLOCKS][BLOCKS];
      weigh(&c, means, noise, chroma_height, weights);
      int32_t total = 0;
      for (int b = 0; b < BLOCKS; b++) {
        for (int k = 0; k < BLOCKS; k++) {
          total += weights[b][k];
          counted[b][k] += (float)weights[b][k] / 128;
        }
      }
      if (total == 0) continue;
      merged->used[i] += (float)total / (128 * BLOCKS * BLOCKS);
      int16_t corners[BLOCKS + 1][BLOCKS + 1];
      lower(weights, corners);
      drop_all_changed(means, noise, chroma_height, &c);
      add(c.y, corners, 32, 32, &luma);
      if (chroma_height > 0) {
        add(c.u, corners, 16, chroma_height, &u);
        add(c.v, corners, 16, chroma_height, &v);
      }
    }
    put(&luma, &merged->luma, x, y, 32, 32);
    if (chroma_height > 0) {
      put(&u, &merged->u, x / 2, y / lines, 16, chroma_height);
      put(&v, &merged->v, x / 2, y / lines, 16, chroma_height);
    }
    float *map = merged->weights + (y / CFUSION_BLOCK + 1) * merged->weights_stride + x / CFUSION_BLOCK + 1;
    for (int b = 0; b < BLOCKS; b++) {
      for (int k = 0; k < BLOCKS; k++) {
        // In the outer blocks two tiles overlap, and in the corners four. Each of these tiles contributes an equal
        // part.
        const float part = (b % 3 == 0 ? 0.5f : 1) * (k % 3 == 0 ? 0.5f : 1);
        map[b * merged->weights_stride + k] += part * counted[b][k];
      }
    }
  }
}

FASTEST void cfusion_merge(const cfusion_burst *burst, cfusion_noise noise, int32_t row, const cfusion_merged *merged) {
  if (!burst->reference.u.origin) {
    merge(burst, noise, row, merged, 0);
  } else if (burst->halves_lines) {
    merge(burst, noise, row, merged, 16);
  } else {
    merge(burst, noise, row, merged, 32);
  }
}

INLINE void count(int32_t *counts, int row, float variance) {
  // A variance below 1/16 is less than rounding alone has (1/12), and means no noise.
  if (variance < 0.0625f) {
    counts[row * CFUSION_LEVELS]++;
    return;
  }
  const float level = (log2f(variance) - CFUSION_FIRST_OCTAVE) * CFUSION_LEVELS_PER_OCTAVE;
  counts[row * CFUSION_LEVELS + clamp_to((int32_t)level, 1, CFUSION_LEVELS - 1)]++;
}

// Counts a square of luma like `count`. Squares without noise at levels where cameras clip get a row of their own,
// because they say nothing about the other squares.
INLINE void count_luma(int32_t *counts, float mean, float variance) {
  const bool is_clipped = variance < 0.0625f && (mean <= 16 || mean >= 235);
  count(counts, is_clipped ? CFUSION_CLIPPED : (int)mean / 16, variance);
}

INLINE void observe(const cfusion_burst *burst, int32_t row, int32_t step, int32_t *counts, const int chroma_height) {
  const int32_t y = tile_start(row), columns = burst->fields[0].columns;
  for (int32_t column = 0; column < columns; column += step) {
    const int32_t x = tile_start(column);
    float means[BLOCKS][BLOCKS];
    mean_blocks(&burst->reference.luma, x, y, means);
    for (int32_t i = 0; i < burst->count; i++) {
      comparison c;
      compare(burst, i, x, y, burst->fields[i].vectors[row * columns + column], chroma_height, &c);
      for (int b = 0; b < BLOCKS; b++) {
        for (int k = 0; k < BLOCKS; k++) {
          const int32_t left = x + CFUSION_BLOCK * k, top = y + CFUSION_BLOCK * b;
          if (left < 0 || top < 0 || left + CFUSION_BLOCK > burst->reference.luma.width ||
              top + CFUSION_BLOCK > burst->reference.luma.height) {
            continue;
          }
          count_luma(counts, means[b][k], (float)c.squares[b][k] / (64 * (1 + c.luma_left)));
          if (chroma_height == 0) continue;
          const float samples = 2 * 4 * (float)chroma_height / BLOCKS;
          count(counts, CFUSION_CHROMA, (float)c.chroma_squares[b][k] / (samples * (1 + c.chroma_left)));
        }
      }
    }
  }
}

FASTEST void cfusion_observe(const cfusion_burst *burst, int32_t row, int32_t step, int32_t *counts) {
  if (!burst->reference.u.origin) {
    observe(burst, row, step, counts, 0);
  } else if (burst->halves_lines) {
    observe(burst, row, step, counts, 16);
  } else {
    observe(burst, row, step, counts, 32);
  }
}

// Computes the variance of white noise in a square of 8 x 8 from second differences in both directions at once
// (Immerkaer 1996). Slopes, and straight edges along lines or columns, add nothing to these differences.
INLINE float variance_of_square(const uint8_t *at, ptrdiff_t stride, float *mean) {
  int32_t sum = 0, squares = 0;
  for (int row = 0; row < 8; row++, at += stride) {
    const uint8_t *a = at - stride, *b = at, *c = at + stride;
    for (int i = 0; i < 8; i++) {
      const int32_t d = a[i - 1] + a[i + 1] + c[i - 1] + c[i + 1] - 2 * (a[i] + b[i - 1] + b[i + 1] + c[i]) + 4 * b[i];
      sum += b[i];
      squares += d * d;
    }
  }
  *mean = (float)sum / 64;
  return (float)squares / (64 * 36);
}

FASTEST void cfusion_observe_alone(cfusion_plane luma, cfusion_plane chroma, int32_t *counts) {
  float mean;
  // Every second square in both directions gives enough observations. Squares at the edge are left out, because the
  // border only repeats the edge.
  for (int32_t y = 8; y + 9 <= luma.height; y += 16) {
    for (int32_t x = 8; x + 9 <= luma.width; x += 16) {
      const float variance = variance_of_square(luma.origin + y * luma.stride + x, luma.stride, &mean);
      count_luma(counts, mean, variance);
    }
  }
  for (int32_t y = 8; chroma.origin && y + 9 <= chroma.height; y += 16) {
    for (int32_t x = 8; x + 9 <= chroma.width; x += 16) {
      count(counts, CFUSION_CHROMA, variance_of_square(chroma.origin + y * chroma.stride + x, chroma.stride, &mean));
    }
  }
}
