#include "CYUV.h"

#include <math.h>
#include <string.h>

static float sample(const uint8_t *line, size_t index, int is_wide) {
  if (!is_wide) return line[index];
  uint16_t value;
  memcpy(&value, line + 2 * index, sizeof value);
  return (float)(value >> 6);
}

static float at_most_one(float value) {
  return value < 0 ? 0 : value > 1 ? 1 : value;
}

typedef struct {
  float red, green, blue;
} rgb;

// Dark colours are small differences of large ones: the nearest entry would be too coarse.
static float between(const float *light, float place) {
  const size_t before = (size_t)place < CYUV_TONES - 2 ? (size_t)place : CYUV_TONES - 2;
  return light[before] + (light[before + 1] - light[before]) * (place - (float)before);
}

// From samples to samples as a screen shows them, 0...1.
static rgb shown(const cyuv_tones *t, float luma, float red, float green, float blue) {
  const float last = CYUV_TONES - 1;
  const float r = at_most_one(luma + red) * last, g = at_most_one(luma + green) * last,
              b = at_most_one(luma + blue) * last, most = r > g ? (r > b ? r : b) : (g > b ? g : b);
  const float gain = t->gain[(size_t)(most + 0.5f)];
  const float lr = between(t->light, r) * gain, lg = between(t->light, g) * gain, lb = between(t->light, b) * gain;
  const float *m = t->primaries;
  const float light[3] = {m[0] * lr + m[1] * lg + m[2] * lb, m[3] * lr + m[4] * lg + m[5] * lb,
                          m[6] * lr + m[7] * lg + m[8] * lb};
  float code[3];
  for (int i = 0; i < 3; i++) code[i] = t->code[(size_t)(sqrtf(at_most_one(light[i])) * last + 0.5f)];
  return (rgb){code[0], code[1], code[2]};
}

static inline __attribute__((always_inline)) void map_lines(const cyuv_tones *t, const cyuv_tone_lines *s,
                                                            uint8_t *const y[2], uint8_t *u, uint8_t *v, size_t width,
                                                            int is_wide) {
  const uint8_t *const lines[2] = {s->first, s->second};
  for (size_t i = 0; 2 * i < width; i++) {
    const float cb = sample(s->u, i * s->chroma_step, is_wide) - t->chroma_offset;
    const float cr = sample(s->v, i * s->chroma_step, is_wide) - t->chroma_offset;
    const float red = t->red_from_v * cr, blue = t->blue_from_u * cb;
    const float green = t->green_from_u * cb + t->green_from_v * cr;
    float sum_luma = 0, sum_red = 0, sum_blue = 0;
    for (size_t line = 0; line < 2; line++) {
      for (size_t column = 0; column < 2; column++) {
        // At an odd edge the last pixel counts twice.
        const size_t x = 2 * i + column < width ? 2 * i + column : width - 1;
        const float luma = (sample(lines[line], x, is_wide) - t->luma_offset) * t->luma_gain;
        const rgb p = shown(t, luma, red, green, blue);
        const float out = 0.2126f * p.red + 0.7152f * p.green + 0.0722f * p.blue;
        y[line][x] = (uint8_t)(16.5f + 219 * out);
        sum_luma += out;
        sum_red += p.red;
        sum_blue += p.blue;
      }
    }
    u[i] = (uint8_t)(128.5f + (224 / 4 / 1.8556f) * (sum_blue - sum_luma));
    v[i] = (uint8_t)(128.5f + (224 / 4 / 1.5748f) * (sum_red - sum_luma));
  }
}

void cyuv_map_tones(const cyuv_tones *tones, const cyuv_tone_lines *source, uint8_t *first, uint8_t *second, uint8_t *u,
                    uint8_t *v, size_t width) {
  uint8_t *const y[2] = {first, second};
  if (source->is_wide)
    map_lines(tones, source, y, u, v, width, 1);
  else
    map_lines(tones, source, y, u, v, width, 0);
}
