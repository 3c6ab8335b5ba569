// Exposure fusion (Mertens et al. 2007): the weights of each exposure, and the blending of pyramids.

#include <string.h>

#include "kernels.h"

enum {
  // The number of samples that are processed at once. All intermediate results of a run stay in the nearest cache.
  RUN = 128
};

// Loads a run of row `y` that begins at `x`, with one more sample on each side. Beyond its edges, the plane repeats the
// samples at the edges.
INLINE void load_run(const uint8_t *plane, ptrdiff_t stride, int32_t width, int32_t height, int32_t x, int32_t y,
                     uint8_t out[RUN + 2]) {
  const uint8_t *line = plane + clamp_to(y, 0, height - 1) * stride;
  const int32_t count = min_of(RUN + 1, width - x);
  memcpy(out + 1, line + x, (size_t)count);
  memset(out + 1 + count, line[width - 1], (size_t)(RUN + 1 - count));
  out[0] = line[max_of(x - 1, 0)];
}

// Computes how well each sample of a run of one exposure shows the scene: contrast times saturation times the distance
// of each colour component from black and white. Walls have no contrast and grey things have no saturation. Small
// constants are therefore added, so that the other factors still decide between the exposures there.
INLINE void weigh_run(const cfusion_exposure *e, int32_t full_range, int32_t width, int32_t height, int32_t x,
                      int32_t y, float out[RUN]) {
  const float black = full_range ? 0 : 16, gain = full_range ? 1 / 255.f : 1 / 219.f;
  const float color = full_range ? 1 / 255.f : 1 / 224.f;
  uint8_t above[RUN + 2], here[RUN + 2], below[RUN + 2], u[RUN], v[RUN];
  load_run(e->luma, e->luma_stride, width, height, x, y - 1, above);
  load_run(e->luma, e->luma_stride, width, height, x, y, here);
  load_run(e->luma, e->luma_stride, width, height, x, y + 1, below);
  memset(u, 128, sizeof u);
  memset(v, 128, sizeof v);
  if (e->u && e->v) {
    const ptrdiff_t line = y / 2 * e->chroma_stride;
    const int32_t count = min_of(RUN, width - x);
    for (int32_t i = 0; i < count; i++) {
      u[i] = e->u[line + (x + i) / 2];
      v[i] = e->v[line + (x + i) / 2];
    }
  }
  for (int i = 0; i < RUN; i++) {
    const int32_t curve = 4 * here[i + 1] - here[i] - here[i + 2] - above[i + 1] - below[i + 1];
    const float contrast = (float)(curve < 0 ? -curve : curve) * gain;
    const float luma = ((float)here[i + 1] - black) * gain;
    const float cb = ((float)u[i] - 128) * color, cr = ((float)v[i] - 128) * color;
    float c[3] = {luma + 1.402f * cr, luma - 0.344f * cb - 0.714f * cr, luma + 1.772f * cb};
    float mean = 0, spread = 0, distance = 0;
    for (int k = 0; k < 3; k++) {
      c[k] = c[k] < 0 ? 0 : c[k] > 1 ? 1 : c[k];
      mean += c[k] / 3;
    }
    for (int k = 0; k < 3; k++) {
      spread += (c[k] - mean) * (c[k] - mean);
      distance += (c[k] - 0.5f) * (c[k] - 0.5f);
    }
    // exp(-distance / (2 * 0.2^2)), computed as a limit, (1 - z / 64)^64, which compilers can vectorise.
    float bell = 1 - distance * (12.5f / 64);
    for (int k = 0; k < 6; k++) bell *= bell;
    out[i] = (contrast + 0.02f) * (__builtin_elementwise_sqrt(spread / 3) + 0.1f) * bell + 1e-12f;
  }
}

FASTEST void cfusion_weigh(const cfusion_exposure *exposures, int32_t count, int32_t full_range, int32_t width,
                           int32_t height, int32_t first, int32_t end) {
  for (int32_t y = first; y < end; y++) {
    for (int32_t x = 0; x < width; x += RUN) {
      float weights[CFUSION_EXPOSURES][RUN], scale[RUN] = {0}, sum[RUN] = {0};
      uint8_t shares[RUN], before[RUN] = {0};
      for (int32_t k = 0; k < count; k++) {
        weigh_run(exposures + k, full_range, width, height, x, y, weights[k]);
        for (int i = 0; i < RUN; i++) scale[i] += weights[k][i];
      }
      for (int i = 0; i < RUN; i++) scale[i] = 255 / scale[i];
      for (int32_t k = 0; k < count; k++) {
        // Each share is the difference between two rounded running sums. All shares therefore add up to exactly 255,
        // and no place becomes too dark.
        for (int i = 0; i < RUN; i++) {
          sum[i] += weights[k][i] * scale[i];
          const uint8_t total = k == count - 1 ? 255 : (uint8_t)min_of((int32_t)(sum[i] + 0.5f), 255);
          shares[i] = total - before[i];
          before[i] = total;
        }
        memcpy(exposures[k].weights + y * exposures[k].weights_stride + x, shares, (size_t)min_of(RUN, width - x));
      }
    }
  }
}

FASTEST void cfusion_read_samples(const uint8_t *plane, ptrdiff_t stride, cfusion_level level, int32_t first,
                                  int32_t end) {
  for (int32_t y = first; y < end; y++) {
    const uint8_t *restrict source = plane + y * stride;
    int16_t *restrict target = level.samples + y * level.stride;
    for (int32_t x = 0; x < level.width; x++) target[x] = (int16_t)(source[x] << 4);
  }
}

FASTEST void cfusion_read_weights(const uint8_t *plane, ptrdiff_t stride, cfusion_level level, int32_t first,
                                  int32_t end) {
  for (int32_t y = first; y < end; y++) {
    const uint8_t *restrict source = plane + y * stride;
    int16_t *restrict target = level.samples + y * level.stride;
    for (int32_t x = 0; x < level.width; x++) target[x] = (int16_t)(64 * source[x] + (source[x] + 2) / 4);
  }
}

// The filter is [1 4 6 4 1] / 16 in both directions.
FASTEST void cfusion_reduce(cfusion_level level, cfusion_level smaller, int32_t first, int32_t end) {
  for (int32_t y = first; y < end; y++) {
    const int16_t *rows[5];
    for (int32_t i = 0; i < 5; i++) {
      rows[i] = level.samples + clamp_to(2 * y + i - 2, 0, level.height - 1) * level.stride;
    }
    int16_t *target = smaller.samples + y * smaller.stride;
    for (int32_t x = 0; x < smaller.width; x += RUN / 2) {
      // Entry i belongs to column 2 x + i - 2 of the larger level. Beyond its edges, the level repeats the samples at
      // the edges.
      int32_t sums[RUN + 4];
      const int32_t before = max_of(2 - 2 * x, 0), count = min_of(RUN + 4, level.width + 2 - 2 * x);
      for (int32_t i = before; i < count; i++) {
        const int32_t at = 2 * x + i - 2;
        sums[i] = rows[0][at] + rows[4][at] + 4 * (rows[1][at] + rows[3][at]) + 6 * rows[2][at];
      }
      for (int32_t i = 0; i < before; i++) sums[i] = sums[before];
      for (int32_t i = count; i < RUN + 4; i++) sums[i] = sums[count - 1];
      const int32_t part = min_of(RUN / 2, smaller.width - x);
      for (int32_t i = 0; i < part; i++) {
        const int32_t *s = sums + 2 * i;
        target[x + i] = (int16_t)((s[0] + s[4] + 4 * (s[1] + s[3]) + 6 * s[2] + 128) >> 8);
      }
    }
  }
}

// Expands a run of a level to the size of the next larger level: line `y` of the larger level, from column `x` on.
INLINE void expand_run(cfusion_level smaller, int32_t x, int32_t y, int16_t out[RUN]) {
  const int32_t middle = y / 2;
  const int16_t *a = smaller.samples + max_of(middle - 1, 0) * smaller.stride;
  const int16_t *b = smaller.samples + middle * smaller.stride;
  const int16_t *c = smaller.samples + min_of(middle + 1, smaller.height - 1) * smaller.stride;
  // Entry i belongs to column x / 2 + i - 1 of the smaller level. Beyond its edges, the level repeats the samples at
  // the edges.
  int32_t sums[RUN / 2 + 2];
  const int32_t before = x == 0, end = min_of(RUN / 2 + 2, smaller.width + 1 - x / 2);
  for (int32_t i = before; i < end; i++) {
    const int32_t at = x / 2 + i - 1;
    sums[i] = y % 2 == 0 ? a[at] + 6 * b[at] + c[at] : 4 * (b[at] + c[at]);
  }
  if (before) sums[0] = sums[1];
  for (int32_t i = end; i < RUN / 2 + 2; i++) sums[i] = sums[end - 1];
  for (int32_t i = 0; i < RUN / 2; i++) {
    const int32_t *s = sums + i;
    out[2 * i] = (int16_t)((s[0] + 6 * s[1] + s[2] + 32) >> 6);
    out[2 * i + 1] = (int16_t)((4 * (s[1] + s[2]) + 32) >> 6);
  }
}

FASTEST void cfusion_blend(cfusion_level level, const cfusion_level *smaller, cfusion_level weights, cfusion_level sum,
                           int32_t first, int32_t end) {
  for (int32_t y = first; y < end; y++) {
    const int16_t *restrict samples = level.samples + y * level.stride;
    const int16_t *restrict shares = weights.samples + y * weights.stride;
    int16_t *restrict target = sum.samples + y * sum.stride;
    for (int32_t x = 0; x < level.width; x += RUN) {
      int16_t told[RUN] = {0};
      if (smaller) expand_run(*smaller, x, y, told);
      const int32_t count = min_of(RUN, level.width - x);
      for (int32_t i = 0; i < count; i++) {
        const int32_t detail = samples[x + i] - told[i];
        target[x + i] = (int16_t)(target[x + i] + ((shares[x + i] * detail + 8192) >> 14));
      }
    }
  }
}

FASTEST void cfusion_expand(cfusion_level smaller, cfusion_level level, int32_t first, int32_t end) {
  for (int32_t y = first; y < end; y++) {
    int16_t *restrict target = level.samples + y * level.stride;
    for (int32_t x = 0; x < level.width; x += RUN) {
      int16_t told[RUN];
      expand_run(smaller, x, y, told);
      const int32_t count = min_of(RUN, level.width - x);
      for (int32_t i = 0; i < count; i++) target[x + i] = (int16_t)(target[x + i] + told[i]);
    }
  }
}

FASTEST void cfusion_write_samples(cfusion_level level, uint8_t low, uint8_t high, uint8_t *plane, ptrdiff_t stride,
                                   int32_t first, int32_t end) {
  for (int32_t y = first; y < end; y++) {
    const int16_t *restrict source = level.samples + y * level.stride;
    uint8_t *restrict target = plane + y * stride;
    for (int32_t x = 0; x < level.width; x++) {
      const int32_t value = (source[x] + 8) >> 4;
      target[x] = (uint8_t)clamp_to(value, low, high);
    }
  }
}
