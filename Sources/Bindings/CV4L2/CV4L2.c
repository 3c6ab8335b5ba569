#define _GNU_SOURCE
#include "CV4L2.h"

#include <errno.h>
#include <libv4l-plugin.h>
#include <libv4lconvert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

int CV4L2_ioctl(int descriptor, unsigned long request, void *argument) {
  int result;
  do {
    result = ioctl(descriptor, request, argument);
  } while (result == -1 && errno == EINTR);
  return result == -1 ? errno : 0;
}

int CV4L2_detach_mapping(void *base, size_t length) {
  void *memory = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (memory == MAP_FAILED) return errno;
  memcpy(memory, base, length);
  // The kernel removes the old mapping and moves the memory while it keeps page faults of other threads waiting.
  if (mremap(memory, length, length, MREMAP_MAYMOVE | MREMAP_FIXED, base) != MAP_FAILED) return 0;
  const int error = errno;
  munmap(memory, length);
  return error;
}

const char *CV4L2_errno_name(int error) {
  return strerrorname_np(error);
}

// The ioctls of the pretended device that libv4lconvert sees in place of the camera. The pretended device has one pixel
// format, and refuses every ioctl but the three below. `priv` points to the four-character code of that format.
static int one_format_ioctl(void *priv, int descriptor, unsigned long request, void *argument) {
  (void)descriptor;
  // libv4lconvert passes some request numbers from an int to a long, which extends the sign of _IOR numbers. The cast
  // back to 32 bits undoes the extension.
  switch ((unsigned int)request) {
    case VIDIOC_QUERYCAP: {
      struct v4l2_capability *capability = argument;
      memset(capability, 0, sizeof *capability);
      // The overlay capability keeps libv4lconvert from adding software controls of its own, which the library keeps in
      // shared memory.
      capability->device_caps = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_VIDEO_OVERLAY;
      capability->capabilities = capability->device_caps | V4L2_CAP_DEVICE_CAPS;
      return 0;
    }
    case VIDIOC_ENUM_FMT: {
      struct v4l2_fmtdesc *format = argument;
      if (format->index == 0) {
        format->pixelformat = *(const uint32_t *)priv;
        return 0;
      }
      break;
    }
    case VIDIOC_TRY_FMT: {
      struct v4l2_format *format = argument;
      format->fmt.pix.pixelformat = *(const uint32_t *)priv;
      return 0;
    }
    default:
      break;
  }
  errno = EINVAL;
  return -1;
}

static void *one_format_init(int descriptor) {
  (void)descriptor;
  return NULL;
}

static void one_format_close(void *priv) {
  (void)priv;
}

static const struct libv4l_dev_ops one_format_device = {
    .init = one_format_init, .close = one_format_close, .ioctl = one_format_ioctl};

int CV4L2_can_convert(uint32_t pixel_format) {
  struct v4lconvert_data *data = v4lconvert_create_with_dev_ops(-1, &pixel_format, &one_format_device);
  if (!data) return 0;
  // libv4lconvert answers a trial of YU12 with the format of the device that the library would convert into YU12.
  struct v4l2_format source = {0}, destination = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE};
  destination.fmt.pix.pixelformat = V4L2_PIX_FMT_YUV420;
  destination.fmt.pix.width = 640;
  destination.fmt.pix.height = 480;
  int found = v4lconvert_try_format(data, &destination, &source) == 0 &&
              destination.fmt.pix.pixelformat == V4L2_PIX_FMT_YUV420 && source.fmt.pix.pixelformat == pixel_format;
  v4lconvert_destroy(data);
  return found;
}

struct CV4L2_converter {
  uint32_t pixel_format;
  struct v4lconvert_data *data;
  struct v4l2_format source;
  struct v4l2_format destination;
};

struct CV4L2_converter *CV4L2_converter_create(uint32_t pixel_format, uint32_t width, uint32_t height,
                                               uint32_t bytes_per_line, uint32_t size_image) {
  if (!CV4L2_can_convert(pixel_format)) return NULL;
  struct CV4L2_converter *converter = calloc(1, sizeof *converter);
  if (!converter) return NULL;
  converter->pixel_format = pixel_format;
  converter->data = v4lconvert_create_with_dev_ops(-1, &converter->pixel_format, &one_format_device);
  if (!converter->data) {
    free(converter);
    return NULL;
  }
  converter->source.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
  converter->source.fmt.pix.pixelformat = pixel_format;
  converter->source.fmt.pix.width = width;
  converter->source.fmt.pix.height = height;
  converter->source.fmt.pix.bytesperline = bytes_per_line;
  converter->source.fmt.pix.sizeimage = size_image;
  converter->destination.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
  converter->destination.fmt.pix.pixelformat = V4L2_PIX_FMT_YUV420;
  converter->destination.fmt.pix.width = width;
  converter->destination.fmt.pix.height = height;
  v4lconvert_fixup_fmt(&converter->destination);
  return converter;
}

void CV4L2_converter_destroy(struct CV4L2_converter *converter) {
  v4lconvert_destroy(converter->data);
  free(converter);
}

int CV4L2_converter_convert(struct CV4L2_converter *converter, unsigned char *source, int source_size,
                            unsigned char *destination, int destination_size) {
  return v4lconvert_convert(converter->data, &converter->source, &converter->destination, source, source_size,
                            destination, destination_size);
}
