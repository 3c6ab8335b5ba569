#include "formats.h"

static const struct size mjpg[] = {{1280, 720}, {1920, 1080}, {640, 480}, {640, 360}};
static const struct size yuyv[] = {{320, 180}};
static const struct size h264[] = {{640, 360}};
// 30, 15 and 5 pictures per second, in units of 100 ns.
static const uint32_t intervals[] = {333333, 666666, 2000000};

unsigned format_sizes(unsigned format, const struct size **sizes) {
  *sizes = format == YUYV ? yuyv : format == H264 ? h264 : mjpg;
  return format == MJPG ? sizeof mjpg / sizeof *mjpg : 1;
}

unsigned format_intervals(const uint32_t **listed) {
  *listed = intervals;
  return sizeof intervals / sizeof *intervals;
}
