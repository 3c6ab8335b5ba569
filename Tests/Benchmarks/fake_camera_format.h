// The only format of the cameras of fake_camera.c, and what their driver tells of it.
#ifndef FAKE_CAMERA_FORMAT_H
#define FAKE_CAMERA_FORMAT_H

#include <linux/videodev2.h>
#include <stdint.h>

// Nothing of this may take the place of what the process itself has.
#pragma GCC visibility push(hidden)

// The code of the format, the size in pixels, the frames per second, the bytes of a picture, and V4L2's number for the
// range of its samples.
extern uint32_t pixel_format, width, height, rate, length, quantization;

// Sets errno, and returns -1.
int fail(int error);

// The answers to the ioctls. Each returns 0, or -1 with errno. `number` is that of the camera, from 0.
int query_capability(uint32_t number, struct v4l2_capability *capability);
int enumerate_formats(struct v4l2_fmtdesc *format);
int enumerate_sizes(struct v4l2_frmsizeenum *size);
int enumerate_intervals(struct v4l2_frmivalenum *interval);
int tell_format(struct v4l2_format *format);
int tell_parameters(struct v4l2_streamparm *parameters);

#pragma GCC visibility pop

#endif
