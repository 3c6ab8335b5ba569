#include <string.h>

#include "CYUV.h"
#include "fastest.h"

static inline __attribute__((always_inline)) uint16_t sample(const uint8_t *line, size_t index, int is_big_endian) {
  uint16_t value;
  memcpy(&value, line + 2 * index, sizeof value);
  return is_big_endian ? __builtin_bswap16(value) : value;
}

// The most samples that are counted. A quarter of a million tell the thousandths of any picture well enough, and take
// less than a millisecond.
enum { MOST_COUNTED = 1 << 18 };

// Counts how often each value occurs, and returns the number of samples that were counted.
static size_t count_values(const cyuv_wide_plane *plane, uint32_t *counters) {
  memset(counters, 0, CYUV_WIDE_VALUES * sizeof *counters);
  const size_t step = (plane->width * plane->height + MOST_COUNTED - 1) / MOST_COUNTED;
  size_t lines = 0;
  for (size_t y = step / 2 < plane->height ? step / 2 : 0; y < plane->height; y += step, lines++) {
    const uint8_t *line = plane->samples + y * plane->stride;
    for (size_t x = 0; x < plane->width; x++) counters[sample(line, x, plane->is_big_endian)]++;
  }
  return lines * plane->width;
}

cyuv_shown_values cyuv_used_values(const cyuv_wide_plane *plane, uint32_t largest, uint32_t least_span,
                                   uint32_t *counters) {
  const size_t count = count_values(plane, counters), ignored = (count + 512) / 1024;
  uint32_t black = 0, white = CYUV_WIDE_VALUES - 1;
  for (size_t below = counters[black]; below <= ignored && black < white; below += counters[black]) black++;
  for (size_t above = counters[white]; above <= ignored && white > black; above += counters[white]) white--;
  if (white - black < least_span) {
    const uint32_t most = white > largest ? white : largest, middle = (black + white) / 2;
    black = middle > least_span / 2 ? middle - least_span / 2 : 0;
    if (black + least_span > most) black = most - least_span;
    white = black + least_span;
  }
  return (cyuv_shown_values){.black = black, .white = white};
}

static inline __attribute__((always_inline)) void stretch(const cyuv_wide_plane *plane, cyuv_shown_values shown,
                                                          float first, float gain, uint8_t *target,
                                                          size_t target_stride, int is_big_endian) {
  // A copy, because writing a byte might otherwise change the plane, and the compiler would not vectorise the loop.
  const size_t width = plane->width;
  const int32_t black = (int32_t)shown.black, span = (int32_t)(shown.white - shown.black);
  for (size_t y = 0; y < plane->height; y++) {
    const uint8_t *restrict line = plane->samples + y * plane->stride;
    uint8_t *restrict bytes = target + y * target_stride;
    for (size_t x = 0; x < width; x++) {
      const int32_t above = sample(line, x, is_big_endian) - black, value = above < 0 ? 0 : above > span ? span : above;
      // The compiler vectorises a product of floats, and no product of integers that needs more than 32 bits.
      bytes[x] = (uint8_t)(int32_t)(first + gain * (float)value + 0.5f);
    }
  }
}

FASTEST void cyuv_stretch(const cyuv_wide_plane *plane, cyuv_shown_values shown, uint8_t first, uint8_t last,
                          uint8_t *target, size_t target_stride) {
  const float gain = (float)(last - first) / (float)(shown.white - shown.black);
  if (plane->is_big_endian)
    stretch(plane, shown, first, gain, target, target_stride, 1);
  else
    stretch(plane, shown, first, gain, target, target_stride, 0);
}
