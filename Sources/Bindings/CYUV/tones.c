#include "CYUV.h"

#include <string.h>

#include "fastest.h"

static inline __attribute__((always_inline)) float sample(const uint8_t *line, size_t index, int is_wide) {
  if (!is_wide) return line[index];
  uint16_t value;
  memcpy(&value, line + 2 * index, sizeof value);
  return (float)(value >> 6);
}

static inline __attribute__((always_inline)) float at_most_one(float value) {
  return value < 0 ? 0 : value > 1 ? 1 : value;
}

// Interpolates between two entries of the table. The nearest entry would be too coarse for dark colours, which are
// small differences of large values.
static inline __attribute__((always_inline)) float between(const float *light, float place) {
  const int before = (int)place < CYUV_TONES - 2 ? (int)place : CYUV_TONES - 2;
  return light[before] + (light[before + 1] - light[before]) * (place - (float)before);
}

// The number of pixels that are mapped at once. The intermediate results of a run stay in the cache, and compilers
// vectorise the steps.
#define RUN 64

// Maps colours to colours that a screen can show. `color` holds R', G', B' scaled to the indices of the tables on
// entry, and R', G', B' from 0 to 1 on return.
static inline __attribute__((always_inline)) void show(const cyuv_tones *t, float color[3][RUN]) {
  const float last = CYUV_TONES - 1;
  float light[3][RUN];
  for (int i = 0; i < RUN; i++) {
    const float r = color[0][i], g = color[1][i], b = color[2][i], most = r > g ? (r > b ? r : b) : (g > b ? g : b);
    const float gain = t->gain[(int)(most + 0.5f)];
    light[0][i] = between(t->light, r) * gain;
    light[1][i] = between(t->light, g) * gain;
    light[2][i] = between(t->light, b) * gain;
  }
  int place[3][RUN];
  for (int c = 0; c < 3; c++) {
    const float *m = t->primaries + 3 * c;
    for (int i = 0; i < RUN; i++) {
      const float value = m[0] * light[0][i] + m[1] * light[1][i] + m[2] * light[2][i];
      place[c][i] = (int)(__builtin_elementwise_sqrt(at_most_one(value)) * last + 0.5f);
    }
  }
  for (int c = 0; c < 3; c++)
    for (int i = 0; i < RUN; i++) color[c][i] = t->code[place[c][i]];
}

static inline __attribute__((always_inline)) void map_run(const cyuv_tones *t, const cyuv_tone_lines *s,
                                                          uint8_t *const y[2], uint8_t *u, uint8_t *v, size_t first,
                                                          size_t width, int is_wide) {
  const uint8_t *const lines[2] = {s->first, s->second};
  const float last = CYUV_TONES - 1;
  // At the right edge, the last pixel fills the rest of the run.
  const size_t count = width - first < RUN ? width - first : RUN;
  float red[RUN / 2], green[RUN / 2], blue[RUN / 2], sums[3][RUN / 2] = {0};
  for (size_t i = 0; i < RUN / 2; i++) {
    const size_t pair = 2 * i < count ? first / 2 + i : (width - 1) / 2;
    const float cb = sample(s->u, pair * s->chroma_step, is_wide) - t->chroma_offset;
    const float cr = sample(s->v, pair * s->chroma_step, is_wide) - t->chroma_offset;
    red[i] = t->red_from_v * cr;
    green[i] = t->green_from_u * cb + t->green_from_v * cr;
    blue[i] = t->blue_from_u * cb;
  }
  for (int line = 0; line < 2; line++) {
    float color[3][RUN];
    for (size_t i = 0; i < RUN; i++) {
      const size_t x = i < count ? first + i : width - 1;
      const float luma = (sample(lines[line], x, is_wide) - t->luma_offset) * t->luma_gain;
      color[0][i] = at_most_one(luma + red[i / 2]) * last;
      color[1][i] = at_most_one(luma + green[i / 2]) * last;
      color[2][i] = at_most_one(luma + blue[i / 2]) * last;
    }
    show(t, color);
    for (size_t i = 0; i < RUN; i++) {
      const float luma = 0.2126f * color[0][i] + 0.7152f * color[1][i] + 0.0722f * color[2][i];
      if (i < count) y[line][first + i] = (uint8_t)(16.5f + 219 * luma);
      sums[0][i / 2] += luma;
      sums[1][i / 2] += color[0][i];
      sums[2][i / 2] += color[2][i];
    }
  }
  for (size_t i = 0; 2 * i < count; i++) {
    u[first / 2 + i] = (uint8_t)(128.5f + (224 / 4 / 1.8556f) * (sums[2][i] - sums[0][i]));
    v[first / 2 + i] = (uint8_t)(128.5f + (224 / 4 / 1.5748f) * (sums[1][i] - sums[0][i]));
  }
}

FASTEST void cyuv_map_tones(const cyuv_tones *tones, const cyuv_tone_lines *source, uint8_t *first, uint8_t *second,
                            uint8_t *u, uint8_t *v, size_t width) {
  uint8_t *const y[2] = {first, second};
  for (size_t first = 0; first < width; first += RUN) {
    if (source->is_wide)
      map_run(tones, source, y, u, v, first, width, 1);
    else
      map_run(tones, source, y, u, v, first, width, 0);
  }
}
