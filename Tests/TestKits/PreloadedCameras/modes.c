#include "modes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "oddities.h"

enum { MAX_MODES = 64 };
static mode modes[MAX_MODES];
static uint32_t mode_count;
// The size of the modes, or zeros for all sizes.
static uint32_t chosen_width, chosen_height;

int fail(int error) {
  errno = error;
  return -1;
}

// When the file was written, with which its content changes.
static struct timespec written;

static struct timespec time_of(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 ? status.st_mtim : (struct timespec){0};
}

bool refresh_modes(const char *path) {
  const struct timespec now = time_of(path);
  if (now.tv_sec == written.tv_sec && now.tv_nsec == written.tv_nsec) return false;
  mode_count = 0;
  read_modes(path);
  return true;
}

void read_modes(const char *path) {
  written = time_of(path);
  FILE *file = fopen(path, "re");
  char code[5];
  while (file != NULL && mode_count < MAX_MODES) {
    mode *next = &modes[mode_count];
    const int found = fscanf(file, "%4s %u %u %u %u %u", code, &next->width, &next->height, &next->rate, &next->length,
                             &next->quantization);
    if (found != 6) break;
    // A code of three letters ends with a blank.
    if (code[3] == 0) code[3] = ' ';
    next->pixel_format = v4l2_fourcc(code[0], code[1], code[2], code[3]);
    if (chosen_width == 0 || (next->width == chosen_width && next->height == chosen_height)) mode_count++;
  }
  if (mode_count == 0) {
    fprintf(stderr, "preloaded cameras: there is no mode in %s\n", path);
    abort();
  }
  fclose(file);
}

static bool has_any(const char *path, uint32_t width, uint32_t height) {
  FILE *file = fopen(path, "re");
  uint32_t found_width, found_height;
  bool has = false;
  while (file != NULL && !has && fscanf(file, "%*4s %u %u %*u %*u %*u", &found_width, &found_height) == 2)
    has = found_width == width && found_height == height;
  if (file != NULL) fclose(file);
  return has;
}

bool choose_size(const char *path, uint32_t width, uint32_t height) {
  if (!has_any(path, width, height)) return false;
  chosen_width = width;
  chosen_height = height;
  mode_count = 0;
  read_modes(path);
  return true;
}

const mode *default_mode(void) {
  return &modes[0];
}

static bool has_format(const mode *mode, uint32_t pixel_format) {
  return mode->pixel_format == pixel_format;
}

static bool has_size(const mode *mode, uint32_t pixel_format, uint32_t width, uint32_t height) {
  return has_format(mode, pixel_format) && mode->width == width && mode->height == height;
}

const mode *mode_of_format(const struct v4l2_pix_format *wanted, const mode *present) {
  const mode *nearest = NULL;
  for (const mode *each = modes; each < modes + mode_count; each++) {
    if (!has_size(each, wanted->pixelformat, wanted->width, wanted->height)) continue;
    // A driver keeps the rate where the size has it.
    if (nearest == NULL || each->rate == present->rate) nearest = each;
  }
  for (const mode *each = modes; nearest == NULL && each < modes + mode_count; each++)
    if (has_format(each, wanted->pixelformat)) nearest = each;
  return nearest != NULL ? nearest : present;
}

const mode *mode_of_rate(const struct v4l2_fract *wanted_period, const mode *present) {
  if (wanted_period->numerator == 0) return present;
  const double wanted = (double)wanted_period->denominator / wanted_period->numerator * oddity.period;
  const mode *nearest = present;
  for (const mode *each = modes; each < modes + mode_count; each++) {
    if (!has_size(each, present->pixel_format, present->width, present->height)) continue;
    const double distance = each->rate - wanted, smallest = nearest->rate - wanted;
    if (distance * distance < smallest * smallest) nearest = each;
  }
  return nearest;
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

// Whether an earlier mode has the same format, and where `with_size` the same size too.
static bool is_repeated(const mode *mode, bool with_size) {
  for (const struct mode *each = modes; each < mode; each++)
    if (with_size ? has_size(each, mode->pixel_format, mode->width, mode->height)
                  : has_format(each, mode->pixel_format))
      return true;
  return false;
}

int enumerate_formats(struct v4l2_fmtdesc *format) {
  if (format->type != V4L2_BUF_TYPE_VIDEO_CAPTURE) return fail(EINVAL);
  uint32_t index = 0;
  for (const mode *each = modes; each < modes + mode_count; each++) {
    if (is_repeated(each, false) || index++ != format->index) continue;
    format->flags = each->pixel_format == V4L2_PIX_FMT_MJPEG ? V4L2_FMT_FLAG_COMPRESSED : 0;
    format->pixelformat = each->pixel_format;
    return 0;
  }
  return fail(EINVAL);
}

int enumerate_sizes(struct v4l2_frmsizeenum *size) {
  uint32_t index = 0;
  for (const mode *each = modes; each < modes + mode_count; each++) {
    if (!has_format(each, size->pixel_format) || is_repeated(each, true) || index++ != size->index) continue;
    size->type = V4L2_FRMSIZE_TYPE_DISCRETE;
    size->discrete = (struct v4l2_frmsize_discrete){.width = each->width, .height = each->height};
    return 0;
  }
  return fail(EINVAL);
}

int enumerate_intervals(struct v4l2_frmivalenum *interval) {
  uint32_t index = 0;
  for (const mode *each = modes; each < modes + mode_count; each++) {
    if (!has_size(each, interval->pixel_format, interval->width, interval->height)) continue;
    if (index++ != interval->index) continue;
    interval->type = V4L2_FRMIVAL_TYPE_DISCRETE;
    interval->discrete = (struct v4l2_fract){.numerator = oddity.period, .denominator = each->rate};
    return 0;
  }
  return fail(EINVAL);
}

// The bytes from a line to the next, 0 for a compressed picture.
static uint32_t bytes_per_line(const mode *mode) {
  if (oddity.stride > 0) return oddity.stride;
  switch (mode->pixel_format) {
    case V4L2_PIX_FMT_YUYV:
    case V4L2_PIX_FMT_Y10:
    case V4L2_PIX_FMT_Y12:
    case V4L2_PIX_FMT_Y14:
    case V4L2_PIX_FMT_Y16:
      return 2 * mode->width;
    case V4L2_PIX_FMT_RGB24:
      return 3 * mode->width;
    case V4L2_PIX_FMT_GREY:
    case V4L2_PIX_FMT_NV12:
      return mode->width;
    default:
      return 0;
  }
}

int tell_format(const mode *mode, struct v4l2_format *format) {
  if (format->type != V4L2_BUF_TYPE_VIDEO_CAPTURE) return fail(EINVAL);
  format->fmt.pix = (struct v4l2_pix_format){
      .width = mode->width,
      .height = mode->height,
      .pixelformat = mode->pixel_format,
      .field = oddity.field,
      .bytesperline = bytes_per_line(mode),
      .sizeimage = mode->length,
      .colorspace = V4L2_COLORSPACE_SRGB,
      .priv = V4L2_PIX_FMT_PRIV_MAGIC,  // says that the range is told
      .quantization = mode->quantization,
  };
  return 0;
}

int tell_parameters(const mode *mode, struct v4l2_streamparm *parameters) {
  if (parameters->type != V4L2_BUF_TYPE_VIDEO_CAPTURE) return fail(EINVAL);
  parameters->parm.capture = (struct v4l2_captureparm){
      .capability = V4L2_CAP_TIMEPERFRAME,
      .timeperframe = {.numerator = oddity.period, .denominator = mode->rate},
      .readbuffers = 4,
  };
  return 0;
}
