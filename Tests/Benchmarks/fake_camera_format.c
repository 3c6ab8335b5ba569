#include "fake_camera_format.h"

#include <errno.h>
#include <stdio.h>

uint32_t pixel_format, width, height, rate, length, quantization;

int fail(int error) {
  errno = error;
  return -1;
}

int query_capability(uint32_t number, struct v4l2_capability *capability) {
  const uint32_t capabilities = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING | V4L2_CAP_EXT_PIX_FORMAT;
  *capability = (struct v4l2_capability){
      .driver = "uvcvideo",
      .card = "Fake camera",
      .version = 0x60100,
      .capabilities = capabilities | V4L2_CAP_DEVICE_CAPS,
      .device_caps = capabilities,
  };
  snprintf((char *)capability->bus_info, sizeof capability->bus_info, "usb-fake-%u", number + 1);
  return 0;
}

int enumerate_formats(struct v4l2_fmtdesc *format) {
  if (format->index > 0 || format->type != V4L2_BUF_TYPE_VIDEO_CAPTURE) return fail(EINVAL);
  format->pixelformat = pixel_format;
  format->flags = pixel_format == V4L2_PIX_FMT_MJPEG ? V4L2_FMT_FLAG_COMPRESSED : 0;
  return 0;
}

int enumerate_sizes(struct v4l2_frmsizeenum *size) {
  if (size->index > 0 || size->pixel_format != pixel_format) return fail(EINVAL);
  size->type = V4L2_FRMSIZE_TYPE_DISCRETE;
  size->discrete = (struct v4l2_frmsize_discrete){.width = width, .height = height};
  return 0;
}

int enumerate_intervals(struct v4l2_frmivalenum *interval) {
  if (interval->index > 0 || interval->pixel_format != pixel_format) return fail(EINVAL);
  interval->type = V4L2_FRMIVAL_TYPE_DISCRETE;
  interval->discrete = (struct v4l2_fract){.numerator = 1, .denominator = rate};
  return 0;
}

int tell_format(struct v4l2_format *format) {
  if (format->type != V4L2_BUF_TYPE_VIDEO_CAPTURE) return fail(EINVAL);
  format->fmt.pix = (struct v4l2_pix_format){
      .width = width,
      .height = height,
      .pixelformat = pixel_format,
      .field = V4L2_FIELD_NONE,
      .bytesperline = pixel_format == V4L2_PIX_FMT_YUYV ? 2 * width : 0,
      .sizeimage = length,
      .colorspace = V4L2_COLORSPACE_SRGB,
      .priv = V4L2_PIX_FMT_PRIV_MAGIC,  // says that the range is told
      .quantization = quantization,
  };
  return 0;
}

int tell_parameters(struct v4l2_streamparm *parameters) {
  if (parameters->type != V4L2_BUF_TYPE_VIDEO_CAPTURE) return fail(EINVAL);
  parameters->parm.capture = (struct v4l2_captureparm){
      .capability = V4L2_CAP_TIMEPERFRAME,
      .timeperframe = {.numerator = 1, .denominator = rate},
      .readbuffers = 4,
  };
  return 0;
}
