// Functions that several files of this module share.
#ifndef CPHOTOFUSION_KERNELS_H
#define CPHOTOFUSION_KERNELS_H

#include "CPhotoFusion.h"

// On x86-64 the compiler makes two versions of each function that is marked FASTEST, and the loader picks one when it
// loads the program. On other machines the base instruction set is fast enough. ThreadSanitizer builds have one
// version, because the choice would run before the sanitizer has started, and would crash in the sanitizer.
#if defined(__x86_64__) && !__has_feature(thread_sanitizer)
#define FASTEST __attribute__((target_clones("avx2", "default")))
#else
#define FASTEST
#endif

// The compiler inlines each function that is marked INLINE into every version of the function that calls it.
#define INLINE static inline __attribute__((always_inline))

INLINE int32_t min_of(int32_t a, int32_t b) {
  return a < b ? a : b;
}

INLINE int32_t max_of(int32_t a, int32_t b) {
  return a > b ? a : b;
}

INLINE int32_t clamp_to(int32_t value, int32_t low, int32_t high) {
  return min_of(max_of(value, low), high);
}

// The taps of a Lanczos filter with three lobes, for each sixteenth of a sample, in units of 1/128. A filter of four
// taps would lose half a dB of fine detail.
extern const int16_t cfusion_taps[16][6];

// Returns the share of the variance of white noise that the interpolation by `shift` leaves.
INLINE float noise_left(cfusion_vector shift) {
  const int16_t *x = cfusion_taps[shift.x & 15], *y = cfusion_taps[shift.y & 15];
  int32_t sx = 0, sy = 0;
  for (int i = 0; i < 6; i++) {
    sx += x[i] * x[i];
    sy += y[i] * y[i];
  }
  return (float)sx * (float)sy / (16384.f * 16384.f);
}

// Interpolates the `width` x `height` samples that lie `shift` away from `at`, and writes them to `out`, reduced by
// 128. Because of that reduction, a sum with filter taps of seven bits fits 16 bits. `width` and `height` are constants
// after inlining, at most 32 x 32.
INLINE void warp(const uint8_t *at, ptrdiff_t stride, cfusion_vector shift, const int width, const int height,
                 int16_t *restrict out) {
  const uint8_t *source = at + (shift.y >> 4) * stride + (shift.x >> 4);
  const int16_t *x = cfusion_taps[shift.x & 15], *y = cfusion_taps[shift.y & 15];
  const int16_t x0 = x[0], x1 = x[1], x2 = x[2], x3 = x[3], x4 = x[4], x5 = x[5];
  const int16_t y0 = y[0], y1 = y[1], y2 = y[2], y3 = y[3], y4 = y[4], y5 = y[5];
  int16_t lines[(32 + 5) * 32];
  for (int row = 0; row < height + 5; row++) {
    const uint8_t *s = source + (row - 2) * stride - 2;
    int16_t *line = lines + row * width;
    for (int i = 0; i < width; i++) {
      const int16_t sum = (int16_t)(x0 * (int16_t)(s[i] - 128) + x1 * (int16_t)(s[i + 1] - 128) +
                                    x2 * (int16_t)(s[i + 2] - 128) + x3 * (int16_t)(s[i + 3] - 128) +
                                    x4 * (int16_t)(s[i + 4] - 128) + x5 * (int16_t)(s[i + 5] - 128) + 64);
      // 165 times 198, the largest sum of the taps' absolute values, just fits 16 bits. Edges overshoot to 160.
      const int16_t value = (int16_t)(sum >> 7);
      line[i] = value < -165 ? -165 : value > 165 ? 165 : value;
    }
  }
  for (int row = 0; row < height; row++) {
    const int16_t *l = lines + row * width;
    for (int i = 0; i < width; i++) {
      const int16_t sum = (int16_t)(y0 * l[i] + y1 * l[i + width] + y2 * l[i + 2 * width] + y3 * l[i + 3 * width] +
                                    y4 * l[i + 4 * width] + y5 * l[i + 5 * width] + 64);
      out[row * width + i] = (int16_t)(sum >> 7);
    }
  }
}

// Returns the first column or line of the tile with number `index` and side CFUSION_TILE.
INLINE int32_t tile_start(int32_t index) {
  return index * CFUSION_STEP - (CFUSION_TILE - CFUSION_STEP);
}

// Limits `shift` so that the shifted tile stays within readable memory. The interpolation reads 3 more samples on each
// side of the tile.
INLINE int16_t bounded(int32_t shift, int32_t start, int32_t side, int32_t length, int32_t border) {
  return (int16_t)clamp_to(shift, (3 - border - start) * 16, (length + border - 3 - side - start) * 16);
}

#endif
