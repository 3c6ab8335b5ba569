// What is in front of the camera: the timecode board at the top and three bands below it, each of which is the same on
// all of its lines. Board and bands are therefore told by the kind of a line.
#pragma once

#include <stdint.h>

// The board's rows, then the bands: a wedge of sixteen greys, eight colours, and fine detail.
enum { BOARD_ROWS = 4, BANDS = 3, LINE_KINDS = BOARD_ROWS + BANDS };

struct scene {
  uint64_t number, time_ns;
  uint32_t camera;
  // By what each reflectance is multiplied, and what is added to luma then.
  double level;
  int brightness;
  // The standard deviation of luma below the board, in JPEG.
  double noise;
};

// The kind of a line of a picture: below BOARD_ROWS a row of the board, else BOARD_ROWS plus a band.
unsigned line_kind(unsigned line, unsigned height);

// A line's luma, `width` bytes, and its chroma, half as many of each.
void draw_line(const struct scene *scene, unsigned kind, unsigned width, uint8_t *y, uint8_t *cb, uint8_t *cr);
