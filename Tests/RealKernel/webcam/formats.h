// What the camera offers, as its descriptors list it.
#pragma once

#include <stdint.h>

enum { MJPG = 1, YUYV = 2 };

struct size {
  uint16_t width, height;
};

// Ticks of the camera's own clock a second.
#define CLOCK_FREQUENCY 48000000

// The sizes of a format; the first is its default. Returns how many.
unsigned format_sizes(unsigned format, const struct size **sizes);
// Intervals between pictures in units of 100 ns, the shortest first. Returns how many.
unsigned format_intervals(const uint32_t **intervals);
