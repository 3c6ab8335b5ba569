// The signal at the input of the cameras, as an HDMI input has one: what a source sends, and the DV timings to which a
// program has set the cameras.
#ifndef PRELOADED_CAMERAS_SIGNAL_H
#define PRELOADED_CAMERAS_SIGNAL_H

#include <linux/videodev2.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#pragma GCC visibility push(hidden)

// Remembers the file of the signal, once. Without it the input has no DV timings.
void find_signal(const char *path);

// Whether the input has DV timings.
bool has_signal(void);

// When the test changed the signal last.
struct timespec signal_time(void);

// The answers to the ioctls. Each returns 0, or -1 with errno.
int enumerate_inputs(struct v4l2_input *input);
int query_timings(struct v4l2_dv_timings *timings);

#pragma GCC visibility pop

#endif
