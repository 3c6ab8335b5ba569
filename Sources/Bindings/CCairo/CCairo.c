#include "CCairo.h"

#include <string.h>

int CCairo_bounds(const uint8_t *pixels, int width, int height, int stride, int *left, int *top, int *right,
                  int *bottom) {
  int first = -1, last = -1, low = width, high = -1;
  for (int y = 0; y < height; y++) {
    const uint32_t *row = (const uint32_t *)(pixels + (size_t)y * stride);
    uint32_t any = 0;
    for (int x = 0; x < width; x++) any |= row[x];
    if (any == 0) continue;
    if (first < 0) first = y;
    last = y;
    for (int x = 0; x < low; x++) {
      if (row[x] == 0) continue;
      low = x;
      break;
    }
    for (int x = width - 1; x > high; x--) {
      if (row[x] == 0) continue;
      high = x;
      break;
    }
  }
  if (first < 0) return 0;
  *left = low & ~1;
  *top = first & ~1;
  *right = (high + 2) & ~1;
  *bottom = (last + 2) & ~1;
  return 1;
}

struct source {
  const uint8_t *bytes;
  size_t left;
};

static cairo_status_t read_more(void *context, unsigned char *target, unsigned int count) {
  struct source *source = context;
  if (count > source->left) return CAIRO_STATUS_READ_ERROR;
  memcpy(target, source->bytes, count);
  source->bytes += count;
  source->left -= count;
  return CAIRO_STATUS_SUCCESS;
}

static uint32_t big_endian(const uint8_t *bytes) {
  return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

int64_t CCairo_png_pixels(const uint8_t *bytes, size_t count, int largest_side) {
  static const uint8_t begin[16] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n', 0, 0, 0, 13, 'I', 'H', 'D', 'R'};
  if (count < 24 || memcmp(bytes, begin, sizeof begin) != 0) return 0;
  const uint32_t width = big_endian(bytes + 16), height = big_endian(bytes + 20);
  if (width < 1 || height < 1 || width > (uint32_t)largest_side || height > (uint32_t)largest_side) return 0;
  return (int64_t)width * height;
}

cairo_surface_t *CCairo_read_png(const uint8_t *bytes, size_t count, int largest_side) {
  // The size is checked first, because a file of a few bytes may claim a picture of gigabytes.
  if (CCairo_png_pixels(bytes, count, largest_side) == 0) return NULL;
  struct source source = {bytes, count};
  cairo_surface_t *surface = cairo_image_surface_create_from_png_stream(read_more, &source);
  if (cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS) return surface;
  cairo_surface_destroy(surface);
  return NULL;
}
