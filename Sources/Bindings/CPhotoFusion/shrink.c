// Denoises by shrinking the coefficients of overlapping cosine transforms of 8 x 8 samples (Yaroslavsky 1996). Blocks
// begin at every fourth sample in both directions. Adjacent blocks are the lanes of vectors, so that no block has to be
// transposed. Each line is transformed once, and both rows of blocks that share the line use the result.

#include <math.h>
#include <string.h>

#include "kernels.h"

enum {
  // The number of samples across that are processed at once. All intermediate results of a panel stay in the nearest
  // cache.
  PANEL = 128,
  // The number of blocks that touch the samples of a panel, and the number of lanes, which is rounded up to whole
  // vectors.
  TOUCHING = PANEL / 4 + 1,
  LANES = 40,
};

#define C1 0.98078528f
#define C2 0.92387953f
#define C3 0.83146961f
#define C4 0.70710678f
#define C5 0.55557023f
#define C6 0.38268343f
#define C7 0.19509032f

// Computes the orthonormal cosine transform of eight values, for each lane. The values of a lane are `step` floats
// apart.
INLINE void forward(const float *restrict x, float *restrict out, const int step) {
  for (int k = 0; k < LANES; k++) {
    const float x0 = x[k], x1 = x[step + k], x2 = x[2 * step + k], x3 = x[3 * step + k], x4 = x[4 * step + k],
                x5 = x[5 * step + k], x6 = x[6 * step + k], x7 = x[7 * step + k];
    const float s0 = x0 + x7, s1 = x1 + x6, s2 = x2 + x5, s3 = x3 + x4;
    const float d0 = 0.5f * (x0 - x7), d1 = 0.5f * (x1 - x6), d2 = 0.5f * (x2 - x5), d3 = 0.5f * (x3 - x4);
    const float e0 = s0 + s3, e1 = s1 + s2, e2 = 0.5f * (s1 - s2), e3 = 0.5f * (s0 - s3);
    out[k] = (0.5f * C4) * (e0 + e1);
    out[step + k] = d0 * C1 + d1 * C3 + d2 * C5 + d3 * C7;
    out[2 * step + k] = e3 * C2 + e2 * C6;
    out[3 * step + k] = d0 * C3 - d1 * C7 - d2 * C1 - d3 * C5;
    out[4 * step + k] = (0.5f * C4) * (e0 - e1);
    out[5 * step + k] = d0 * C5 - d1 * C1 + d2 * C7 + d3 * C3;
    out[6 * step + k] = e3 * C6 - e2 * C2;
    out[7 * step + k] = d0 * C7 - d1 * C5 + d2 * C3 - d3 * C1;
  }
}

// Computes the inverse of `forward`, multiplies the result by the lane's entry in `scale`, and adds it to `out`.
INLINE void add_inverse(const float *restrict x, const float *restrict scale, float *restrict out, const int step) {
  for (int k = 0; k < LANES; k++) {
    const float w = 0.5f * scale[k];
    const float x1 = x[step + k], x3 = x[3 * step + k], x5 = x[5 * step + k], x7 = x[7 * step + k];
    const float p = C4 * (x[k] + x[4 * step + k]), q = C4 * (x[k] - x[4 * step + k]);
    const float r = C2 * x[2 * step + k] + C6 * x[6 * step + k], t = C6 * x[2 * step + k] - C2 * x[6 * step + k];
    const float e0 = p + r, e3 = p - r, e1 = q + t, e2 = q - t;
    const float o0 = x1 * C1 + x3 * C3 + x5 * C5 + x7 * C7, o1 = x1 * C3 - x3 * C7 - x5 * C1 - x7 * C5,
                o2 = x1 * C5 - x3 * C1 + x5 * C7 + x7 * C3, o3 = x1 * C7 - x3 * C5 + x5 * C3 - x7 * C1;
    out[k] += w * (e0 + o0);
    out[step + k] += w * (e1 + o1);
    out[2 * step + k] += w * (e2 + o2);
    out[3 * step + k] += w * (e3 + o3);
    out[4 * step + k] += w * (e3 - o3);
    out[5 * step + k] += w * (e2 - o2);
    out[6 * step + k] += w * (e1 - o1);
    out[7 * step + k] += w * (e0 - o0);
  }
}

// The state of a panel while it moves down the picture. Lines are counted from the top of the present row of blocks.
typedef struct panel {
  float across[8][8][LANES];
  float result[8][8][LANES];
  float above[LANES], weights[LANES];
} panel;

// Loads the part of line `y` that the panel at `x` touches, and sorts the samples for the blocks: sample i of block k
// is at [i % 4][k + i / 4]. Beyond its edges, the picture repeats the samples at the edges.
INLINE void load(const cfusion_shrink *p, int32_t x, int32_t y, float out[4][LANES + 8]) {
  const int32_t row = clamp_to(y, 0, p->reference.height - 1), width = p->reference.width;
  const uint8_t *r = p->reference.origin + row * p->reference.stride;
  const int16_t *s = p->sum.origin + row * p->sum.stride;
  float line[4 * (LANES + 8)];
  const int32_t first = x - 4, count = PANEL + 8;
  if (first >= 0 && first + count <= width) {
    for (int32_t i = 0; i < count; i++) line[i] = (float)(16 * r[first + i] + s[first + i]);
  } else {
    for (int32_t i = 0; i < count; i++) {
      const int32_t at = clamp_to(first + i, 0, width - 1);
      line[i] = (float)(16 * r[at] + s[at]);
    }
  }
  for (int32_t i = count; i < 4 * (LANES + 8); i++) line[i] = line[count - 1];
  for (int k = 0; k < LANES + 8; k++) {
    for (int j = 0; j < 4; j++) out[j][k] = line[4 * k + j];
  }
}

INLINE void transform_line(const cfusion_shrink *p, int32_t x, int32_t y, float out[8][LANES]) {
  float sorted[4][LANES + 8], samples[8][LANES];
  load(p, x, y, sorted);
  for (int j = 0; j < 4; j++) {
    memcpy(samples[j], sorted[j], sizeof samples[j]);
    memcpy(samples[j + 4], sorted[j] + 1, sizeof samples[j]);
  }
  forward(samples[0], out[0], LANES);
}

// Transforms the columns of a row of blocks, shrinks the coefficients that may be noise, and adds the inverse transform
// to the result.
//
// A coefficient with energy s, of which noise explains b, is multiplied by s^2 / (s^2 + b^2). Coefficients well above
// the noise stay as they are, and coefficients well below disappear, without the spots that a hard threshold leaves.
INLINE void shrink_row(const cfusion_shrink *p, int32_t x, int32_t y, panel *restrict b) {
  float others[LANES], limit[LANES], kept[LANES], all[8][8][LANES];
  const int32_t middle = clamp_to(y + 4, 0, p->reference.height - 1) / p->block_height + 1;
  for (int k = 0; k < LANES; k++) {
    const int32_t at = clamp_to(x + 4 * k, 0, p->reference.width - 1) / p->block_width + 1;
    others[k] = p->weights[middle * p->weights_stride + at];
  }
  for (int u = 0; u < 8; u++) forward(b->across[0][u], all[0][u], 8 * LANES);
  const float scale = 256 * p->threshold * p->threshold;
  for (int k = 0; k < LANES; k++) {
    // The mean of a block is an eighth of its first coefficient, in sixteenths of a code value.
    const float frames = 1 + others[k];
    limit[k] = scale * (p->read + p->shot * all[0][0][k] / 128) / (frames * frames);
    kept[k] = 1;
  }
  for (int i = 1; i < 64; i++) {
    float *c = all[i / 8][i % 8];
    const float variance = p->response->variance[i], amplitude = p->response->amplitude[i];
    for (int k = 0; k < LANES; k++) {
      const float bound = limit[k] * (1 + others[k] * variance), remaining = 1 + others[k] * amplitude;
      const float energy = c[k] * c[k] * c[k] * c[k];
      const float part = energy / ((energy + bound * bound) * remaining);
      const float share = part * remaining;
      kept[k] += share * share;
      // This factor also restores the detail that interpolation removed from the other frames.
      c[k] *= part * (1 + others[k]);
    }
  }
  // A block that keeps few coefficients estimates its samples best, so its weight is higher.
  for (int k = 0; k < LANES; k++) b->weights[k] = 1 / kept[k];
  for (int u = 0; u < 8; u++) add_inverse(all[0][u], b->weights, b->result[0][u], 8 * LANES);
}

// Writes the four lines that are complete. Each of their samples lies in two blocks of this row and in two blocks of
// the row above.
INLINE void write_lines(const cfusion_shrink *p, int32_t x, int32_t y, int32_t end, const panel *b) {
  float scale[LANES];
  for (int k = 0; k + 1 < LANES; k++) {
    scale[k] = 1 / (16 * (b->above[k] + b->above[k + 1] + b->weights[k] + b->weights[k + 1]));
  }
  const float one[LANES] = {[0 ... LANES - 1] = 1};
  for (int row = 0; row < 4 && y + row < end; row++) {
    float samples[8][LANES];
    memset(samples, 0, sizeof samples);
    add_inverse(b->result[row][0], one, samples[0], LANES);
    uint8_t line[4 * LANES];
    for (int k = 0; k < TOUCHING - 1; k++) {
      for (int j = 0; j < 4; j++) {
        const float value = (samples[j + 4][k] + samples[j][k + 1]) * scale[k] + 0.5f;
        line[4 * k + j] = (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
      }
    }
    memcpy(p->target + (y + row) * p->target_stride + x, line, (size_t)min_of(PANEL, p->reference.width - x));
  }
}

INLINE void write_panel(const cfusion_shrink *p, int32_t x, int32_t first, int32_t end) {
  panel b;
  memset(&b, 0, sizeof b);
  for (int row = 4; row < 8; row++) transform_line(p, x, first - 8 + row, b.across[row]);
  // Each row of blocks begins four lines below the row before. The first row completes lines above `first`, which are
  // not written.
  for (int32_t y = first - 4; y < end; y += 4) {
    memmove(b.across[0], b.across[4], sizeof b.across / 2);
    for (int row = 4; row < 8; row++) transform_line(p, x, y + row, b.across[row]);
    memcpy(b.above, b.weights, sizeof b.above);
    shrink_row(p, x, y, &b);
    if (y >= first) write_lines(p, x, y, end, &b);
    memmove(b.result[0], b.result[4], sizeof b.result / 2);
    memset(b.result[4], 0, sizeof b.result / 2);
  }
}

FASTEST void cfusion_write(const cfusion_shrink *plane, int32_t first, int32_t end) {
  for (int32_t x = 0; x < plane->reference.width; x += PANEL) write_panel(plane, x, first, end);
}

// Computes the part of the amplitude and of the variance that the interpolation filter for a fraction of a sample
// leaves of each of the eight frequencies.
static void respond(int fraction, float amplitude[8], float variance[8]) {
  for (int u = 0; u < 8; u++) {
    float real = 0, imaginary = 0;
    for (int i = 0; i < 6; i++) {
      const float angle = (float)M_PI / 8 * (float)u * ((float)i - 2 - (float)fraction / 16);
      real += (float)cfusion_taps[fraction][i] / 128 * cosf(angle);
      imaginary += (float)cfusion_taps[fraction][i] / 128 * sinf(angle);
    }
    amplitude[u] = real;
    variance[u] = real * real + imaginary * imaginary;
  }
}

void cfusion_measure_response(const cfusion_field *fields, int32_t count, int32_t columns, int32_t lines,
                              cfusion_response *response) {
  int32_t counts[16][16] = {{0}}, total = 0;
  for (int32_t i = 0; i < count; i++) {
    const int32_t tiles = fields[i].columns * fields[i].rows;
    for (int32_t t = 0; t < tiles; t++) {
      const cfusion_vector v = fields[i].vectors[t];
      counts[((v.y + lines - 1) >> (lines - 1)) & 15][((v.x + columns - 1) >> (columns - 1)) & 15]++;
    }
    total += tiles;
  }
  memset(response, 0, sizeof *response);
  float amplitude[16][8], variance[16][8];
  for (int f = 0; f < 16; f++) respond(f, amplitude[f], variance[f]);
  for (int y = 0; y < 16; y++) {
    for (int x = 0; x < 16; x++) {
      if (counts[y][x] == 0) continue;
      const float part = (float)counts[y][x] / (float)total;
      for (int i = 0; i < 64; i++) {
        response->amplitude[i] += part * amplitude[y][i / 8] * amplitude[x][i % 8];
        response->variance[i] += part * variance[y][i / 8] * variance[x][i % 8];
      }
    }
  }
}
