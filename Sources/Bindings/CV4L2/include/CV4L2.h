// This header gives Swift three things:
// - the parts of V4L2 that Swift's importer cannot translate: ioctl numbers made by `_IOWR`, the variadic `ioctl`, and
//   control ids that are computed;
// - the few Linux calls and headers that Swift's Glibc module leaves out;
// - libv4lconvert as plain functions without a device; see CV4L2_converter.
//
// Any thread may call any function. Two threads must not use the same converter at the same time.
#ifndef CV4L2_H
#define CV4L2_H

#include <linux/netlink.h>
#include <linux/videodev2.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/eventfd.h>

#ifdef __cplusplus
extern "C" {
#endif

static const unsigned long CV4L2_VIDIOC_QUERYCAP = VIDIOC_QUERYCAP;
static const unsigned long CV4L2_VIDIOC_ENUM_FMT = VIDIOC_ENUM_FMT;
static const unsigned long CV4L2_VIDIOC_ENUM_FRAMESIZES = VIDIOC_ENUM_FRAMESIZES;
static const unsigned long CV4L2_VIDIOC_ENUM_FRAMEINTERVALS = VIDIOC_ENUM_FRAMEINTERVALS;
static const unsigned long CV4L2_VIDIOC_G_FMT = VIDIOC_G_FMT;
static const unsigned long CV4L2_VIDIOC_TRY_FMT = VIDIOC_TRY_FMT;
static const unsigned long CV4L2_VIDIOC_S_FMT = VIDIOC_S_FMT;
static const unsigned long CV4L2_VIDIOC_G_PARM = VIDIOC_G_PARM;
static const unsigned long CV4L2_VIDIOC_S_PARM = VIDIOC_S_PARM;
static const unsigned long CV4L2_VIDIOC_G_CTRL = VIDIOC_G_CTRL;
static const unsigned long CV4L2_VIDIOC_S_CTRL = VIDIOC_S_CTRL;
static const unsigned long CV4L2_VIDIOC_QUERY_EXT_CTRL = VIDIOC_QUERY_EXT_CTRL;
static const unsigned long CV4L2_VIDIOC_QUERYMENU = VIDIOC_QUERYMENU;
static const unsigned long CV4L2_VIDIOC_G_EXT_CTRLS = VIDIOC_G_EXT_CTRLS;
static const unsigned long CV4L2_VIDIOC_S_EXT_CTRLS = VIDIOC_S_EXT_CTRLS;
static const unsigned long CV4L2_VIDIOC_REQBUFS = VIDIOC_REQBUFS;
static const unsigned long CV4L2_VIDIOC_CREATE_BUFS = VIDIOC_CREATE_BUFS;
static const unsigned long CV4L2_VIDIOC_QUERYBUF = VIDIOC_QUERYBUF;
static const unsigned long CV4L2_VIDIOC_QBUF = VIDIOC_QBUF;
static const unsigned long CV4L2_VIDIOC_DQBUF = VIDIOC_DQBUF;
static const unsigned long CV4L2_VIDIOC_STREAMON = VIDIOC_STREAMON;
static const unsigned long CV4L2_VIDIOC_STREAMOFF = VIDIOC_STREAMOFF;
static const unsigned long CV4L2_VIDIOC_G_INPUT = VIDIOC_G_INPUT;
static const unsigned long CV4L2_VIDIOC_ENUMINPUT = VIDIOC_ENUMINPUT;
static const unsigned long CV4L2_VIDIOC_QUERY_DV_TIMINGS = VIDIOC_QUERY_DV_TIMINGS;
static const unsigned long CV4L2_VIDIOC_S_DV_TIMINGS = VIDIOC_S_DV_TIMINGS;
static const unsigned long CV4L2_VIDIOC_SUBSCRIBE_EVENT = VIDIOC_SUBSCRIBE_EVENT;
static const unsigned long CV4L2_VIDIOC_DQEVENT = VIDIOC_DQEVENT;

static const uint32_t CV4L2_CID_CAMERA_ORIENTATION = V4L2_CID_CAMERA_ORIENTATION;
static const uint32_t CV4L2_CID_EXPOSURE_ABSOLUTE = V4L2_CID_EXPOSURE_ABSOLUTE;
static const uint32_t CV4L2_CID_FORCE_KEY_FRAME = V4L2_CID_MPEG_VIDEO_FORCE_KEY_FRAME;
static const uint32_t CV4L2_CID_GAIN = V4L2_CID_GAIN;
static const uint32_t CV4L2_CID_MIN_BUFFERS_FOR_CAPTURE = V4L2_CID_MIN_BUFFERS_FOR_CAPTURE;
// The bit of `v4l2_event_src_change.changes` that says that the source has another size or another signal.
static const uint32_t CV4L2_EVENT_SRC_CH_RESOLUTION = V4L2_EVENT_SRC_CH_RESOLUTION;
// As the value of `priv`, this number asks the kernel to read and to fill the extended colour fields of
// v4l2_pix_format.
static const uint32_t CV4L2_PIX_FMT_PRIV_MAGIC = V4L2_PIX_FMT_PRIV_MAGIC;

// Performs `ioctl`, and repeats the call while a signal interrupts it. The function borrows `argument` for the call.
// Returns 0 on success, or the errno, which is positive.
int CV4L2_ioctl(int descriptor, unsigned long request, void *_Nonnull argument);

// Replaces the mapping of a device's buffer by memory of this process with the same bytes, at the same address. The
// mapping begins at `base` and has `length` bytes, which must not change meanwhile; other threads may read them. A read
// sees the mapping or the memory, or waits in the kernel until the memory is there. The caller unmaps the memory.
// Returns 0 on success, or the errno, which is positive; the mapping is still there then.
int CV4L2_detach_mapping(void *_Nonnull base, size_t length);

// The symbolic name of an errno, such as "EBUSY", in static memory that the caller must not free. NULL when the C
// library has no name for the errno.
const char *_Nullable CV4L2_errno_name(int error);

// Returns 1 when libv4lconvert can turn pictures of `pixel_format` (a V4L2 four-character code) into planar YUV 4:2:0,
// else 0.
int CV4L2_can_convert(uint32_t pixel_format);

// libv4lconvert for one stream, without access to the device. The library gets no descriptor, so that the library does
// not configure the camera, does not flip pictures of the laptops on its list, and leaves no shared memory behind.
struct CV4L2_converter;

// Creates a converter for the pictures of one stream. The five arguments are what the driver answered to VIDIOC_S_FMT:
// a four-character code, the size in pixels, and the size of a line and of a picture in bytes.
// Returns a converter that the caller owns and must give to CV4L2_converter_destroy. Returns NULL when libv4lconvert
// cannot convert the format, or when memory is short.
struct CV4L2_converter *_Nullable CV4L2_converter_create(uint32_t pixel_format, uint32_t width, uint32_t height,
                                                         uint32_t bytes_per_line, uint32_t size_image);

// Frees `converter`. The caller must not use `converter` afterwards.
void CV4L2_converter_destroy(struct CV4L2_converter *_Nonnull converter);

// Converts the picture in `source` into YU12 without padding, and writes the result to `destination`. Both sizes are in
// bytes. The function borrows all pointers for the call. `source` must be writable, because libv4lconvert may use the
// source as scratch space.
// Returns the number of bytes written, or -1 when the picture is damaged or `destination` is too small.
int CV4L2_converter_convert(struct CV4L2_converter *_Nonnull converter, unsigned char *_Nonnull source, int source_size,
                            unsigned char *_Nonnull destination, int destination_size);

#ifdef __cplusplus
}
#endif

#endif
