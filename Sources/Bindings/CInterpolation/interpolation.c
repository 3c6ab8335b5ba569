#include <math.h>
#include <pthread.h>

#include "CInterpolation.h"

enum { taps = 2 * CINTERPOLATION_REACH, phases = 256 };

// One filter for each phase between two samples, and one more, so that two neighbours can always be mixed.
static float table[phases + 1][taps];
static pthread_once_t once = PTHREAD_ONCE_INIT;

// The modified Bessel function of the first kind and order 0, of which the Kaiser window is made.
static double bessel(double x) {
  double sum = 1, term = 1;
  for (int k = 1; k < 50; k++) {
    term *= (x / (2 * k)) * (x / (2 * k));
    sum += term;
  }
  return sum;
}

static void make_table(void) {
  // Sound passes unchanged up to 0.86 of the highest frequency. Beta 9 keeps the images of the window below -90 dB.
  const double cutoff = 0.95, beta = 9;
  for (int phase = 0; phase <= phases; phase++) {
    double sum = 0;
    for (int tap = 0; tap < taps; tap++) {
      const double x = tap - (CINTERPOLATION_REACH - 1) - (double)phase / phases;
      const double edge = x / CINTERPOLATION_REACH;
      const double window = fabs(edge) >= 1 ? 0 : bessel(beta * sqrt(1 - edge * edge)) / bessel(beta);
      const double value = (x == 0 ? cutoff : sin(M_PI * cutoff * x) / (M_PI * x)) * window;
      table[phase][tap] = (float)value;
      sum += value;
    }
    // Every phase passes a constant with the gain 1, or the interpolation would add a tone of its own.
    for (int tap = 0; tap < taps; tap++) table[phase][tap] = (float)(table[phase][tap] / sum);
  }
}

void cinterpolation_interpolate(const float *samples, ptrdiff_t count, int channels, double position, double step,
                                float *output, ptrdiff_t output_count) {
  pthread_once(&once, make_table);
  for (ptrdiff_t i = 0; i < output_count; i++) {
    const double at = position + (double)i * step, whole = floor(at);
    const double place = (at - whole) * phases;
    const int phase = (int)place < phases ? (int)place : phases - 1;
    const float mix = (float)(place - phase);
    float filter[taps];
    for (int tap = 0; tap < taps; tap++)
      filter[tap] = table[phase][tap] + mix * (table[phase + 1][tap] - table[phase][tap]);
    const ptrdiff_t first = (ptrdiff_t)whole - (CINTERPOLATION_REACH - 1);
    const ptrdiff_t begin = first < 0 ? -first : 0;
    const ptrdiff_t end = first + taps > count ? count - first : taps;
    for (int channel = 0; channel < channels; channel++) {
      float sum = 0;
      for (ptrdiff_t tap = begin; tap < end; tap++) sum += filter[tap] * samples[(first + tap) * channels + channel];
      output[i * channels + channel] = sum;
    }
  }
}
