// What the cameras can do: their formats, sizes and rates, and what the driver tells of them.
#ifndef PRELOADED_CAMERAS_MODES_H
#define PRELOADED_CAMERAS_MODES_H

#include <linux/videodev2.h>
#include <stdbool.h>
#include <stdint.h>

// Nothing of this may take the place of what the process itself has.
#pragma GCC visibility push(hidden)

typedef struct mode {
  // V4L2's code of the format, and the size in pixels.
  uint32_t pixel_format, width, height;
  // Frames per second.
  uint32_t rate;
  // The bytes of a picture.
  uint32_t length;
  // V4L2's number for the range of the samples.
  uint32_t quantization;
} mode;

// Sets errno, and returns -1.
int fail(int error);

// Reads the modes from a file. Ends the process when the file is not as it must be.
void read_modes(const char *path);

// Leaves out the modes of other sizes from now on, as an input with DV timings does that is set to a size. Returns
// false where there is no mode of this size; nothing has changed then.
bool choose_size(const char *path, uint32_t width, uint32_t height);

// Reads the modes again if their file has changed. Returns whether it has; the modes of all cameras are others then.
bool refresh_modes(const char *path);

// The mode that a camera has until a program sets another one.
const mode *default_mode(void);

// The mode that is nearest to what a program wants.
const mode *mode_of_format(const struct v4l2_pix_format *wanted, const mode *present);
const mode *mode_of_rate(const struct v4l2_fract *wanted_period, const mode *present);

// The answers to the ioctls. Each returns 0, or -1 with errno. `number` is that of the camera, from 0.
int query_capability(uint32_t number, struct v4l2_capability *capability);
int enumerate_formats(struct v4l2_fmtdesc *format);
int enumerate_sizes(struct v4l2_frmsizeenum *size);
int enumerate_intervals(struct v4l2_frmivalenum *interval);
int tell_format(const mode *mode, struct v4l2_format *format);
int tell_parameters(const mode *mode, struct v4l2_streamparm *parameters);

#pragma GCC visibility pop

#endif
