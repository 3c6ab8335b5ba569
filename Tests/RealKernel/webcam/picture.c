#include "picture.h"

#include <stdio.h>
// jpeglib.h needs FILE of <stdio.h>.
#include <jpeglib.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "clip.h"

// Pictures are JPEG 4:2:2. The interval from one restart marker to the next is a strip: one line of blocks, 8 lines
// high. A strip depends on nothing outside of itself, so the camera compresses each strip that repeats only once: seven
// or eight strips with the board and one for each band, instead of 90 strips at 720 lines. An emulated machine would
// take 60 ms for each full picture.
enum { STRIP = 8, QUALITY = 85, MAXIMUM_STRIP = 1 << 17, MAXIMUM_WIDTH = 1920 };

// Each band has this many strips, which differ in their noise. Each line of blocks shows all of them in turn. A photo
// merged from fewer pictures in a row therefore never gets the same noise twice, and has as little noise as the number
// of its pictures promises.
enum { VARIANTS = 32 };

// The JPEG of one strip. `scan` points to its compressed data, whose length excludes EOI.
struct strip {
  uint8_t bytes[MAXIMUM_STRIP];
  const uint8_t *scan;
  size_t scan_length;
};

// The strips of the bands, with the values that they were made for. The camera reuses the strips while these values
// stay.
static struct {
  struct strip strips[BANDS][VARIANTS];
  bool made[BANDS][VARIANTS];
  unsigned width;
  double level, noise;
  int brightness;
} bands;

static uint32_t big_endian(const uint8_t *bytes) {
  return bytes[0] << 8 | bytes[1];
}

// Returns the compressor for strips of a width. It is created once and is never freed.
static struct jpeg_compress_struct *compressor(unsigned width) {
  static struct jpeg_compress_struct jpeg;
  static struct jpeg_error_mgr errors;
  if (jpeg.err == NULL) {
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_compress(&jpeg);
  }
  if (jpeg.image_width == width) return &jpeg;
  jpeg.image_width = width, jpeg.image_height = STRIP;
  jpeg.input_components = 3, jpeg.in_color_space = JCS_YCbCr;
  jpeg_set_defaults(&jpeg);
  jpeg_set_quality(&jpeg, QUALITY, TRUE);
  jpeg.raw_data_in = TRUE;
  jpeg.dct_method = JDCT_IFAST;
  jpeg.comp_info[0].h_samp_factor = 2, jpeg.comp_info[0].v_samp_factor = 1;
  return &jpeg;
}

static uint32_t scatter(uint32_t value) {
  value ^= value >> 16, value *= 0x7feb352d, value ^= value >> 15, value *= 0x846ca68b;
  return value ^ value >> 16;
}

// Adds noise of a standard deviation, in code values. The sum of four uniform distributions is nearly normal.
static void add_noise(double deviation, uint32_t seed, uint8_t *y, unsigned width) {
  // The standard deviation of the sum of four bytes is 147.8.
  const int scale = deviation * 65536 / 147.8;
  for (unsigned x = 0; x < width; x++) {
    const uint32_t lot = scatter(seed + x);
    const int sum = (int)((lot & 255) + (lot >> 8 & 255) + (lot >> 16 & 255) + (lot >> 24)) - 510;
    const int value = y[x] + sum * scale / 65536;
    y[x] = value < 0 ? 0 : value > 255 ? 255 : value;
  }
}

static void compress(const struct scene *scene, const unsigned kinds[STRIP], unsigned width, uint32_t seed,
                     struct strip *strip) {
  static uint8_t y[STRIP][MAXIMUM_WIDTH], cb[STRIP][MAXIMUM_WIDTH / 2], cr[STRIP][MAXIMUM_WIDTH / 2];
  JSAMPROW rows[3][STRIP];
  for (unsigned line = 0; line < STRIP; line++) {
    rows[0][line] = y[line], rows[1][line] = cb[line], rows[2][line] = cr[line];
    if (line > 0 && kinds[line] == kinds[line - 1]) {
      memcpy(y[line], y[line - 1], width);
      memcpy(cb[line], cb[line - 1], width / 2);
      memcpy(cr[line], cr[line - 1], width / 2);
    } else {
      draw_line(scene, kinds[line], width, y[line], cb[line], cr[line]);
    }
  }
  for (unsigned line = 0; line < STRIP; line++)
    if (scene->noise > 0 && kinds[line] >= BOARD_ROWS)
      add_noise(scene->noise, scatter(seed * STRIP + line), y[line], width);
  struct jpeg_compress_struct *jpeg = compressor(width);
  unsigned char *target = strip->bytes;
  unsigned long length = sizeof strip->bytes;
  jpeg_mem_dest(jpeg, &target, &length);
  jpeg_start_compress(jpeg, TRUE);
  JSAMPARRAY planes[] = {rows[0], rows[1], rows[2]};
  jpeg_write_raw_data(jpeg, planes, STRIP);
  jpeg_finish_compress(jpeg);
  if (target != strip->bytes) abort();
  const uint8_t *segment = strip->bytes + 2;
  while (segment[1] != 0xda) segment += 2 + big_endian(segment + 2);
  strip->scan = segment + 2 + big_endian(segment + 2);
  strip->scan_length = strip->bytes + length - 2 - strip->scan;
}

static const struct strip *strip_of_band(const struct scene *scene, unsigned band, unsigned width, unsigned variant) {
  if (bands.width != width || bands.level != scene->level || bands.brightness != scene->brightness ||
      bands.noise != scene->noise) {
    memset(bands.made, 0, sizeof bands.made);
    bands.width = width, bands.level = scene->level, bands.brightness = scene->brightness, bands.noise = scene->noise;
  }
  if (!bands.made[band][variant]) {
    unsigned kinds[STRIP];
    for (unsigned line = 0; line < STRIP; line++) kinds[line] = BOARD_ROWS + band;
    compress(scene, kinds, width, band * VARIANTS + variant, &bands.strips[band][variant]);
    bands.made[band][variant] = true;
  }
  return &bands.strips[band][variant];
}

// Writes the header of a strip, but with the picture's height and with restart intervals of one line of blocks. Returns
// the header's length.
static size_t write_header(const struct strip *strip, struct size size, uint8_t *bytes) {
  const uint8_t *from = strip->bytes + 2;
  uint8_t *to = bytes + 2;
  memcpy(bytes, strip->bytes, 2);
  while (from < strip->scan) {
    const size_t length = 2 + big_endian(from + 2);
    if (from[1] == 0xda) {
      const uint8_t interval[] = {0xff, 0xdd, 0, 4, size.width / 16 >> 8, size.width / 16 & 0xff};
      memcpy(to, interval, sizeof interval);
      to += sizeof interval;
    }
    memcpy(to, from, length);
    if (from[1] == 0xc0) to[5] = size.height >> 8, to[6] = size.height & 0xff;
    from += length, to += length;
  }
  return to - bytes;
}

static size_t make_jpeg(const struct scene *scene, struct size size, uint8_t *bytes) {
  static struct strip own;
  const struct strip *strip = NULL;
  unsigned before[STRIP] = {LINE_KINDS};
  size_t length = 0;
  for (unsigned row = 0; row * STRIP < size.height; row++) {
    unsigned kinds[STRIP];
    bool even = true;
    for (unsigned line = 0; line < STRIP; line++) {
      const unsigned at = row * STRIP + line;
      kinds[line] = line_kind(at < size.height ? at : size.height - 1u, size.height);
      even = even && kinds[line] == kinds[0];
    }
    if (even && kinds[0] >= BOARD_ROWS) {
      const unsigned variant = scene->noise > 0 ? ((uint32_t)scene->number + scatter(row)) % VARIANTS : 0;
      strip = strip_of_band(scene, kinds[0] - BOARD_ROWS, size.width, variant);
    } else if (memcmp(kinds, before, sizeof kinds) != 0) {
      compress(scene, kinds, size.width, (uint32_t)scene->number, &own);
      strip = &own;
    }
    memcpy(before, kinds, sizeof kinds);
    if (row == 0) {
      length = write_header(strip, size, bytes);
    } else {
      bytes[length++] = 0xff;
      bytes[length++] = 0xd0 + (row - 1) % 8;
    }
    memcpy(bytes + length, strip->scan, strip->scan_length);
    length += strip->scan_length;
  }
  bytes[length++] = 0xff;
  bytes[length++] = 0xd9;
  return length;
}

static size_t make_yuyv(const struct scene *scene, struct size size, uint8_t *bytes) {
  static uint8_t y[MAXIMUM_WIDTH], cb[MAXIMUM_WIDTH / 2], cr[MAXIMUM_WIDTH / 2];
  const size_t stride = 2 * size.width;
  unsigned before = LINE_KINDS;
  for (unsigned line = 0; line < size.height; line++) {
    uint8_t *to = bytes + line * stride;
    const unsigned kind = line_kind(line, size.height);
    if (kind == before) {
      memcpy(to, to - stride, stride);
      continue;
    }
    draw_line(scene, before = kind, size.width, y, cb, cr);
    for (unsigned x = 0; x < size.width; x++) {
      to[2 * x] = y[x];
      to[2 * x + 1] = x % 2 == 0 ? cb[x / 2] : cr[x / 2];
    }
  }
  return stride * size.height;
}

size_t make_picture(const struct scene *scene, unsigned format, struct size size, uint8_t *bytes) {
  if (format == H264) return clip_picture(scene->number, bytes);
  return format == YUYV ? make_yuyv(scene, size, bytes) : make_jpeg(scene, size, bytes);
}
