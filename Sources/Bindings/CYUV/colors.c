#include "CYUV.h"
#include "fastest.h"

const struct YuvConstants *cyuv_matrix(int is_full_range) {
  return is_full_range ? &kYuvJPEGConstants : &kYuvI601Constants;
}

const struct YuvConstants *cyuv_swapped_matrix(int is_full_range) {
  return is_full_range ? &kYvuJPEGConstants : &kYvuI601Constants;
}

static uint8_t clamp(int32_t value) {
  return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

FASTEST void cyuv_expand_luma(const uint8_t *source, uint8_t *target, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const uint8_t x = source[i] > 16 ? source[i] - 16 : 0;
    // x 255/219 = x + x 36/219, and 36/219 = 168.3/1024. The product fits 16 bits for every x.
    const int16_t y = (int16_t)(x + ((uint16_t)(x * 168 + 512) >> 10));
    target[i] = (uint8_t)(y < 0 ? 0 : y > 255 ? 255 : y);
  }
}

FASTEST void cyuv_expand_chroma(const uint8_t *source, uint8_t *target, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const int16_t x = (int16_t)(source[i] - 128);
    // 255/224 = 1 + 141.7/1024.
    const int16_t c = (int16_t)(source[i] + ((int16_t)(x * 142 + 512) >> 10));
    target[i] = (uint8_t)(c < 0 ? 0 : c > 255 ? 255 : c);
  }
}

FASTEST void cyuv_compress_luma(const uint8_t *source, uint8_t *target, size_t count) {
  // 219/255 = 219.86/256. The result is at most 0.14 off, and 255 gives 235.
  for (size_t i = 0; i < count; i++) target[i] = (uint8_t)(16 + (uint16_t)((uint16_t)(source[i] * 220 + 128) >> 8));
}

FASTEST void cyuv_compress_chroma(const uint8_t *source, uint8_t *target, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const int16_t x = (int16_t)(source[i] - 128);
    // 224/255 = 224.88/256.
    target[i] = (uint8_t)(128 + ((int16_t)(x * 225 + 128) >> 8));
  }
}

FASTEST void cyuv_set_opaque(uint8_t *pixels, size_t count) {
  for (size_t i = 0; i < count; i++) pixels[4 * i + 3] = 255;
}

FASTEST void cyuv_convert_luma(const cyuv_colors *colors, const uint8_t *y, const uint8_t *u, const uint8_t *v,
                               uint8_t *target, size_t count) {
  const cyuv_colors c = *colors;
  const int32_t base = (c.y_base << 14) + (1 << 13);
  for (size_t i = 0; i < count / 2; i++) {
    const int32_t shift = c.y_from_u * (u[i] - 128) + c.y_from_v * (v[i] - 128) + base;
    target[2 * i] = clamp((c.y_gain * (y[2 * i] - c.y_offset) + shift) >> 14);
    target[2 * i + 1] = clamp((c.y_gain * (y[2 * i + 1] - c.y_offset) + shift) >> 14);
  }
  if (count % 2) {
    const size_t i = count / 2;
    const int32_t shift = c.y_from_u * (u[i] - 128) + c.y_from_v * (v[i] - 128) + base;
    target[2 * i] = clamp((c.y_gain * (y[2 * i] - c.y_offset) + shift) >> 14);
  }
}

FASTEST void cyuv_convert_chroma(const cyuv_colors *colors, const uint8_t *u, const uint8_t *v, uint8_t *target_u,
                                 uint8_t *target_v, size_t count) {
  const cyuv_colors c = *colors;
  const int32_t middle = (128 << 14) + (1 << 13);
  for (size_t i = 0; i < count; i++) {
    const int32_t x = u[i] - 128, z = v[i] - 128;
    target_u[i] = clamp((c.u_from_u * x + c.u_from_v * z + middle) >> 14);
    target_v[i] = clamp((c.v_from_u * x + c.v_from_v * z + middle) >> 14);
  }
}

FASTEST void cyuv_from_pixels(const cyuv_weights *weights, const uint8_t *pixels, size_t width, size_t height,
                              uint8_t *y, uint8_t *u, uint8_t *v) {
  const cyuv_weights w = *weights;
  for (size_t i = 0; i < width * height; i++) {
    const uint8_t *p = pixels + 4 * i;
    y[i] = (uint8_t)(w.y_offset + ((w.y_red * p[2] + w.y_green * p[1] + w.y_blue * p[0] + (1 << 14)) >> 15));
  }
  for (size_t row = 0; row < height / 2; row++) {
    for (size_t column = 0; column < width / 2; column++) {
      const uint8_t *p = pixels + 4 * (2 * row * width + 2 * column), *q = p + 4 * width;
      const int32_t b = (p[0] + p[4] + q[0] + q[4] + 2) / 4, g = (p[1] + p[5] + q[1] + q[5] + 2) / 4,
                    r = (p[2] + p[6] + q[2] + q[6] + 2) / 4;
      const size_t i = row * (width / 2) + column;
      u[i] = clamp(128 + ((w.u_red * r + w.u_green * g + w.u_blue * b + (1 << 14)) >> 15));
      v[i] = clamp(128 + ((w.v_red * r + w.v_green * g + w.v_blue * b + (1 << 14)) >> 15));
    }
  }
}
