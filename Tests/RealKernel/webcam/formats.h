// The formats that the camera offers, as its descriptors list them.
#pragma once

#include <stdint.h>

// Only a camera with a clip has H264.
enum { MJPG = 1, YUYV = 2, H264 = 3 };

struct size {
  uint16_t width, height;
};

// The ticks of the camera's own clock per second.
#define CLOCK_FREQUENCY 48000000

// Gives the sizes of a format, the default first. Returns their number. The array is static.
unsigned format_sizes(unsigned format, const struct size **sizes);
// Gives the intervals between pictures in units of 100 ns, the shortest first. Returns their number. The array is
// static.
unsigned format_intervals(const uint32_t **intervals);
