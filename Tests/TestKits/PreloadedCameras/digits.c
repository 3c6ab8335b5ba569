#include "digits.h"

#include <stdio.h>
#include <string.h>

// A glyph has so many lines of eight pixels, the leftmost pixel in the highest bit. The number begins at this place.
enum { GLYPHS = 10, LINES = 10, COLUMNS = 8, LEFT = 16 + 14 * COLUMNS, TOP = 16 + 2, MAX_DIGITS = 10 };
enum { BLACK = 16, WHITE = 235 };
// A JPEG begins with its marker SOI, the marker of a comment and the comment's length, two bytes each.
enum { JPEG_TEXT = 6 };
static uint8_t glyphs[GLYPHS][LINES];

bool read_digits(const char *path) {
  FILE *file = fopen(path, "re");
  if (file == NULL) return false;
  const bool is_whole = fread(glyphs, 1, sizeof glyphs, file) == sizeof glyphs;
  fclose(file);
  return is_whole;
}

// The bytes from a pixel to the next, 0 for a compressed picture.
static uint32_t bytes_per_pixel(const mode *mode) {
  switch (mode->pixel_format) {
    case V4L2_PIX_FMT_YUYV:
      return 2;
    case V4L2_PIX_FMT_RGB24:
      return 3;
    case V4L2_PIX_FMT_NV12:
      return 1;
    default:
      return 0;
  }
}

void draw_number(uint8_t *picture, const mode *mode, uint32_t number) {
  const uint32_t step = bytes_per_pixel(mode);
  if (step > 0 && (mode->width < LEFT + MAX_DIGITS * COLUMNS || mode->height < TOP + LINES)) return;
  char digits[MAX_DIGITS + 1];
  // The blanks behind the number cover the digits of a longer one.
  snprintf(digits, sizeof digits, "%-10u", number);
  if (step == 0) memcpy(picture + JPEG_TEXT, digits, MAX_DIGITS);
  for (uint32_t place = 0; step > 0 && place < MAX_DIGITS; place++) {
    for (uint32_t line = 0; line < LINES; line++) {
      const uint32_t bits = digits[place] == ' ' ? 0 : glyphs[digits[place] - '0'][line];
      uint8_t *pixel = picture + ((TOP + line) * mode->width + LEFT + place * COLUMNS) * step;
      for (uint32_t column = 0; column < COLUMNS; column++, pixel += step) {
        const uint8_t value = (bits >> (COLUMNS - 1 - column) & 1) != 0 ? WHITE : BLACK;
        // In YUYV the byte behind a pixel's luma belongs to two pixels' chroma.
        memset(pixel, value, step == 3 ? 3 : 1);
      }
    }
  }
}
