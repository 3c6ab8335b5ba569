#include "scene.h"

#include <math.h>
#include <string.h>

enum { CELLS = 64, WHITE = 235, BLACK = 16, NEUTRAL = 128, GREYS = 16, COLOURS = 8 };

static const uint8_t colours[COLOURS][3] = {{110, 128, 128}, {90, 90, 150},  {80, 150, 90},  {60, 110, 110},
                                            {70, 160, 160},  {50, 100, 180}, {40, 190, 110}, {30, 140, 140}};

static unsigned board_end(unsigned rows, unsigned height) {
  return (rows * height + 12) / 24;
}

unsigned line_kind(unsigned line, unsigned height) {
  for (unsigned row = 0; row < BOARD_ROWS; row++)
    if (line < board_end(row + 1, height)) return row;
  const unsigned top = board_end(BOARD_ROWS, height);
  // Bands begin where lines of blocks begin, so that no strip of a JPEG has parts of two bands.
  const unsigned strip = line / 8 * 8;
  return BOARD_ROWS + (strip < top ? 0 : strip - top) * BANDS / (height - top);
}

static void draw_board(const struct scene *scene, unsigned row, unsigned width, uint8_t *y) {
  const uint64_t words[BOARD_ROWS] = {scene->number, scene->time_ns, ~(scene->number ^ scene->time_ns),
                                      (uint64_t)scene->camera << 32 | (uint32_t)~scene->camera};
  for (unsigned cell = 0; cell < CELLS; cell++) {
    const unsigned begin = cell * width / CELLS, end = (cell + 1) * width / CELLS;
    memset(y + begin, words[row] >> (CELLS - 1 - cell) & 1 ? WHITE : BLACK, end - begin);
  }
}

static uint8_t exposed(double value) {
  return value < 0 ? 0 : value > 255 ? 255 : (uint8_t)lround(value);
}

static uint8_t grey(const struct scene *scene, unsigned band, unsigned x, unsigned width) {
  double reflectance = 96;
  if (band == 0) reflectance = 10 * (1 + x * GREYS / width);
  if (band == 1) reflectance = colours[x * COLOURS / width][0];
  if (band == 2) reflectance = (x / 4 + x / 32) % 2 == 0 ? 60 : 100;
  return exposed(reflectance * scene->level + scene->brightness);
}

static uint8_t chroma(const struct scene *scene, uint8_t value) {
  return exposed(NEUTRAL + (value - NEUTRAL) * fmin(scene->level, 1.5));
}

void draw_line(const struct scene *scene, unsigned kind, unsigned width, uint8_t *y, uint8_t *cb, uint8_t *cr) {
  memset(cb, NEUTRAL, width / 2);
  memset(cr, NEUTRAL, width / 2);
  if (kind < BOARD_ROWS) return draw_board(scene, kind, width, y);
  const unsigned band = kind - BOARD_ROWS;
  for (unsigned x = 0; x < width; x++) y[x] = grey(scene, band, x, width);
  if (band != 1) return;
  for (unsigned x = 0; x < width / 2; x++) {
    const uint8_t *colour = colours[x * COLOURS * 2 / width];
    cb[x] = chroma(scene, colour[1]);
    cr[x] = chroma(scene, colour[2]);
  }
}
