// The scene in front of the camera: the timecode board at the top, and three bands below it. All lines of a band are
// equal, and so are all lines of a row of the board. The kind of a line is therefore enough to draw it.
#pragma once

#include <stdint.h>

// The board's rows, then the bands: sixteen greys, eight colours, and fine detail.
enum { BOARD_ROWS = 4, BANDS = 3, LINE_KINDS = BOARD_ROWS + BANDS };

struct scene {
  uint64_t number, time_ns;
  uint32_t camera;
  // `level` multiplies each reflectance. `brightness` is then added to luma.
  double level;
  int brightness;
  // The standard deviation of luma below the board in code values. Only JPEG pictures have noise.
  double noise;
};

// The kind of a line in a picture of this height. A kind below BOARD_ROWS is a row of the board, another is BOARD_ROWS
// plus the number of a band.
unsigned line_kind(unsigned line, unsigned height);

// Draws a line: `width` bytes of luma, and half as many bytes of Cb and of Cr.
void draw_line(const struct scene *scene, unsigned kind, unsigned width, uint8_t *y, uint8_t *cb, uint8_t *cr);
