#include <math.h>
#include <string.h>

#include "kernels.h"

INLINE int32_t difference(const uint8_t *a, ptrdiff_t a_stride, const uint8_t *b, ptrdiff_t b_stride, const int side) {
  int32_t sum = 0;
  for (int row = 0; row < side; row++) {
    for (int i = 0; i < side; i++) {
      const int32_t d = a[row * a_stride + i] - b[row * b_stride + i];
      sum += d < 0 ? -d : d;
    }
  }
  return sum;
}

// Moves the beginning of a tile so that the tile lies within the plane. A tile that is larger than the plane begins at
// 0.
INLINE int32_t inside(int32_t start, int32_t side, int32_t length) {
  return max_of(0, min_of(start, length - side));
}

INLINE cfusion_vector in_memory(int32_t dx, int32_t dy, const cfusion_plane *plane, int32_t x, int32_t y, int32_t side,
                                int32_t border) {
  return (cfusion_vector){bounded(dx, x, side, plane->width, border), bounded(dy, y, side, plane->height, border)};
}

// The state of a search for the shift of one tile.
typedef struct search {
  const uint8_t *tile;
  const cfusion_plane *reference, *other;
  int32_t x, y;
  int32_t least;
  cfusion_vector best;
} search;

// Compares the tile at the nearest whole sample, and keeps the shift when its difference is the least so far. Of equal
// differences the first one stays, because earlier shifts are more likely.
INLINE void try_shift(search *s, int32_t dx, int32_t dy, const int side, int32_t border) {
  const cfusion_vector shift = in_memory(dx, dy, s->reference, s->x, s->y, side, border);
  const int32_t x = s->x + ((shift.x + 8) >> 4), y = s->y + ((shift.y + 8) >> 4);
  const int32_t sum =
      difference(s->tile, s->reference->stride, s->other->origin + y * s->other->stride + x, s->other->stride, side);
  if (sum < s->least) {
    s->least = sum;
    s->best = shift;
  }
}

INLINE search begin(const cfusion_plane *reference, const cfusion_plane *other, int32_t x, int32_t y) {
  return (search){reference->origin + y * reference->stride + x, reference, other, x, y, INT32_MAX, {0, 0}};
}

// Tries the shifts of the four nearest tiles of another field. Each sample of that field's level covers `scale` samples
// here.
INLINE void try_nearest(search *s, cfusion_field field, float column, float row, int32_t scale, const int side,
                        int32_t border) {
  const int32_t left = clamp_to((int32_t)floorf(column), 0, field.columns - 1),
                top = clamp_to((int32_t)floorf(row), 0, field.rows - 1);
  const int32_t right = min_of(left + 1, field.columns - 1), bottom = min_of(top + 1, field.rows - 1);
  const cfusion_vector near[4] = {field.vectors[top * field.columns + left], field.vectors[top * field.columns + right],
                                  field.vectors[bottom * field.columns + left],
                                  field.vectors[bottom * field.columns + right]};
  for (int i = 0; i < 4; i++) {
    int is_new = 1;
    for (int k = 0; k < i; k++) is_new &= near[k].x != near[i].x || near[k].y != near[i].y;
    if (is_new) try_shift(s, near[i].x * scale, near[i].y * scale, side, border);
  }
}

FASTEST void cfusion_search(cfusion_plane reference, cfusion_plane other, cfusion_field coarse, int32_t radius,
                            cfusion_field field) {
  const int side = CFUSION_SEARCH_TILE;
  for (int32_t row = 0; row < field.rows; row++) {
    for (int32_t column = 0; column < field.columns; column++) {
      const int32_t x = inside(column * side, side, reference.width), y = inside(row * side, side, reference.height);
      search s = begin(&reference, &other, x, y);
      try_shift(&s, 0, 0, side, CFUSION_LEVEL_BORDER);
      if (coarse.columns > 0) {
        try_nearest(&s, coarse, (column - 0.5f) / 2, (row - 0.5f) / 2, 2, side, CFUSION_LEVEL_BORDER);
      }
      const int32_t reach = coarse.columns > 0 ? 1 : radius;
      const cfusion_vector middle = s.best;
      for (int32_t dy = -reach; dy <= reach; dy++) {
        for (int32_t dx = -reach; dx <= reach; dx++) {
          if (dx != 0 || dy != 0) {
            try_shift(&s, middle.x + 16 * dx, middle.y + 16 * dy, side, CFUSION_LEVEL_BORDER);
          }
        }
      }
      field.vectors[row * field.columns + column] = s.best;
    }
  }
}

// The gradient of a tile of the reference, stored as four times the change from sample to sample, and the second
// moments of these values.
typedef struct slope {
  int16_t x[32 * 32], y[32 * 32];
  int32_t xx, xy, yy;
} slope;

// Measures the gradient with Sobel's operator, which averages across the direction of the change and so keeps only a
// third of the noise.
INLINE void measure_slope(const uint8_t *tile, ptrdiff_t stride, const int side, slope *restrict s) {
  int32_t xx = 0, xy = 0, yy = 0;
  for (int row = 0; row < side; row++) {
    const uint8_t *a = tile + (row - 1) * stride, *b = a + stride, *c = b + stride;
    int16_t *gx = s->x + row * side, *gy = s->y + row * side;
    for (int i = 0; i < side; i++) {
      gx[i] = (int16_t)((int16_t)(a[i + 1] + 2 * b[i + 1] + c[i + 1] - a[i - 1] - 2 * b[i - 1] - c[i - 1]) >> 1);
      gy[i] = (int16_t)((int16_t)(c[i - 1] + 2 * c[i] + c[i + 1] - a[i - 1] - 2 * a[i] - a[i + 1]) >> 1);
    }
    for (int i = 0; i < side; i++) {
      xx += (int32_t)gx[i] * gx[i];
      xy += (int32_t)gx[i] * gy[i];
      yy += (int32_t)gy[i] * gy[i];
    }
  }
  s->xx = xx;
  s->xy = xy;
  s->yy = yy;
}

// Makes one step of Lucas and Kanade: finds the shift that best explains the difference between the tile and its
// shifted counterpart in the other frame.
INLINE cfusion_vector step(const uint8_t *tile, ptrdiff_t stride, const uint8_t *other, ptrdiff_t other_stride,
                           cfusion_vector shift, const slope *s, const int side, float limit) {
  int16_t warped[32 * 32];
  warp(other, other_stride, shift, side, side, warped);
  int32_t bx = 0, by = 0;
  for (int row = 0; row < side; row++) {
    const int16_t *gx = s->x + row * side, *gy = s->y + row * side, *w = warped + row * side;
    int16_t d[32];
    for (int i = 0; i < side; i++) d[i] = (int16_t)(tile[row * stride + i] - 128 - w[i]);
    for (int i = 0; i < side; i++) {
      bx += (int32_t)gx[i] * d[i];
      by += (int32_t)gy[i] * d[i];
    }
  }
  // The diagonal is increased as if every sample had a slope of one level. Flat tiles therefore keep their shift.
  const float ridge = 16.f * (float)(side * side);
  const float xx = (float)s->xx + ridge, yy = (float)s->yy + ridge, xy = (float)s->xy;
  const float scale = 4 * 16 / (xx * yy - xy * xy);
  const float dx = ((float)bx * yy - (float)by * xy) * scale, dy = ((float)by * xx - (float)bx * xy) * scale;
  const float bound = 16 * limit;
  return (cfusion_vector){(int16_t)(shift.x + (int32_t)lrintf(fminf(fmaxf(dx, -bound), bound))),
                          (int16_t)(shift.y + (int32_t)lrintf(fminf(fmaxf(dy, -bound), bound)))};
}

FASTEST void cfusion_refine_level(cfusion_plane reference, cfusion_plane other, cfusion_field field) {
  const int side = CFUSION_SEARCH_TILE;
  for (int32_t row = 0; row < field.rows; row++) {
    for (int32_t column = 0; column < field.columns; column++) {
      const int32_t x = inside(column * side, side, reference.width), y = inside(row * side, side, reference.height);
      const uint8_t *tile = reference.origin + y * reference.stride + x;
      cfusion_vector *vector = &field.vectors[row * field.columns + column];
      slope s;
      measure_slope(tile, reference.stride, side, &s);
      const cfusion_vector found =
          step(tile, reference.stride, other.origin + y * other.stride + x, other.stride, *vector, &s, side, 1);
      *vector = in_memory(found.x, found.y, &reference, x, y, side, CFUSION_LEVEL_BORDER);
    }
  }
}

FASTEST void cfusion_refine(cfusion_plane reference, cfusion_plane other, cfusion_field coarse, int32_t coarse_scale,
                            int32_t row, cfusion_field field) {
  const int side = CFUSION_TILE;
  // Samples beyond the edge of the picture repeat the edge and say nothing about the shift. The search therefore
  // compares a tile that lies within the picture.
  const int32_t y = inside(tile_start(row), side, reference.height);
  const float coarse_side = (float)(CFUSION_SEARCH_TILE * coarse_scale);
  for (int32_t column = 0; column < field.columns; column++) {
    const int32_t x = inside(tile_start(column), side, reference.width);
    search s = begin(&reference, &other, x, y);
    const float middle = 0.5f * (float)side;
    try_nearest(&s, coarse, ((float)x + middle) / coarse_side - 0.5f, ((float)y + middle) / coarse_side - 0.5f,
                coarse_scale, side, CFUSION_BORDER);
    slope slopes;
    measure_slope(s.tile, reference.stride, side, &slopes);
    cfusion_vector vector = s.best;
    const uint8_t *at = other.origin + y * other.stride + x;
    for (int i = 0; i < 2; i++) {
      const cfusion_vector before = vector;
      vector = step(s.tile, reference.stride, at, other.stride, vector, &slopes, side, 1);
      vector = in_memory(vector.x, vector.y, &reference, x, y, side, CFUSION_BORDER);
      if (vector.x == before.x && vector.y == before.y) break;
    }
    // The merged tile may begin outside of the picture, where less readable memory remains on that side. The
    // interpolation of chroma also reads three more samples on each side, within half the border. Because half shifts
    // are rounded, these three samples count as five of luma, which the limit of CFUSION_BORDER - 2 leaves room for.
    field.vectors[row * field.columns + column] =
        in_memory(vector.x, vector.y, &reference, tile_start(column), tile_start(row), side, CFUSION_BORDER - 2);
  }
}
