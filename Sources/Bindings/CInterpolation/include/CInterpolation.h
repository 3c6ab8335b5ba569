// Computes sound between samples, to move sound from the clock of a sound card to another clock.
//
// The daemon knows the instant of each output sample, and so between which two samples of the card it lies. A windowed
// sinc of 64 samples interpolates there. Resamplers of media libraries keep a phase of their own, which a caller can
// only steer by changes of the rate; here the caller gives the exact position, so that no error of time can add up, and
// the delay is exactly half a window.
#ifndef CINTERPOLATION_H
#define CINTERPOLATION_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How many samples before and after a position take part in its interpolation.
enum { CINTERPOLATION_REACH = 32 };

/// Interpolates sound at evenly spaced positions. Any thread may call this function. The first call computes a table of
/// 66 KB, which stays.
///
/// - samples: the sound, interleaved, borrowed for the call. Before and after it there is silence.
/// - count: the number of samples of each channel in `samples`.
/// - channels: the number of channels, at least 1.
/// - position: where to interpolate first: 0 is the first sample, 0.5 the middle between the first two.
/// - step: the distance from one position to the next, about 1. The positions must lie within ±2^52.
/// - output: gets `output_count` samples of each channel, interleaved; borrowed for the call.
void cinterpolation_interpolate(const float *_Nonnull samples, ptrdiff_t count, int channels, double position,
                                double step, float *_Nonnull output, ptrdiff_t output_count);

#ifdef __cplusplus
}
#endif
#endif
