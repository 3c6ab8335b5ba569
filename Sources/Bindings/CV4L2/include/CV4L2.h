// What Swift's importer cannot see of V4L2: ioctl numbers made by `_IOWR`, the variadic `ioctl`, control ids that are
// arithmetic. The few calls and headers of Linux that Swift's Glibc module leaves out. And libv4lconvert as the plain
// function it is not: see CV4L2_converter.
//
// Every function is safe to call from any thread; one converter is used by one thread at a time.
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
static const unsigned long CV4L2_VIDIOC_QUERY_EXT_CTRL = VIDIOC_QUERY_EXT_CTRL;
static const unsigned long CV4L2_VIDIOC_QUERYMENU = VIDIOC_QUERYMENU;
static const unsigned long CV4L2_VIDIOC_G_EXT_CTRLS = VIDIOC_G_EXT_CTRLS;
static const unsigned long CV4L2_VIDIOC_S_EXT_CTRLS = VIDIOC_S_EXT_CTRLS;
static const unsigned long CV4L2_VIDIOC_REQBUFS = VIDIOC_REQBUFS;
static const unsigned long CV4L2_VIDIOC_QUERYBUF = VIDIOC_QUERYBUF;
static const unsigned long CV4L2_VIDIOC_QBUF = VIDIOC_QBUF;
static const unsigned long CV4L2_VIDIOC_DQBUF = VIDIOC_DQBUF;
static const unsigned long CV4L2_VIDIOC_STREAMON = VIDIOC_STREAMON;
static const unsigned long CV4L2_VIDIOC_STREAMOFF = VIDIOC_STREAMOFF;

static const uint32_t CV4L2_CID_CAMERA_ORIENTATION = V4L2_CID_CAMERA_ORIENTATION;
static const uint32_t CV4L2_CID_EXPOSURE_ABSOLUTE = V4L2_CID_EXPOSURE_ABSOLUTE;
static const uint32_t CV4L2_CID_GAIN = V4L2_CID_GAIN;
static const uint32_t CV4L2_CID_MIN_BUFFERS_FOR_CAPTURE = V4L2_CID_MIN_BUFFERS_FOR_CAPTURE;
// Asks the kernel to honour and fill the extended colour fields of v4l2_pix_format.
static const uint32_t CV4L2_PIX_FMT_PRIV_MAGIC = V4L2_PIX_FMT_PRIV_MAGIC;

// `ioctl`, repeated while a signal interrupts it. `argument` is borrowed for the call.
// Returns 0, or the errno (positive) when it failed.
int CV4L2_ioctl(int descriptor, unsigned long request, void *_Nonnull argument);

// The symbolic name of an errno such as "EBUSY", in static memory. NULL when the C library knows none.
const char *_Nullable CV4L2_errno_name(int error);

// Names the calling thread. `name` is borrowed for the call; the kernel refuses more than 15 bytes.
void CV4L2_name_thread(const char *_Nonnull name);

// Whether libv4lconvert turns pictures of `pixel_format` (a V4L2 four-character code) into planar YUV 4:2:0.
int CV4L2_can_convert(uint32_t pixel_format);

// libv4lconvert for one stream, cut off from the device: the library is given no descriptor, so that it neither
// configures the camera, flips pictures by its list of laptops, nor leaves shared memory behind.
struct CV4L2_converter;

// `pixel_format`, `width`, `height`, `bytes_per_line`, `size_image`: as the driver answered to S_FMT.
// Returns a converter that the caller owns and gives back to CV4L2_converter_destroy, or NULL when the format cannot be
// converted or memory is short.
struct CV4L2_converter *_Nullable CV4L2_converter_create(uint32_t pixel_format, uint32_t width, uint32_t height,
                                                         uint32_t bytes_per_line, uint32_t size_image);

// Frees `converter`, which must not be used again.
void CV4L2_converter_destroy(struct CV4L2_converter *_Nonnull converter);

// Writes one picture as YU12 without padding to `destination`.
// All pointers are borrowed for the call. The library may use `source` as scratch space, so it must be writable.
// Returns the bytes written, or -1 when the picture is damaged or `destination` too small.
int CV4L2_converter_convert(struct CV4L2_converter *_Nonnull converter, unsigned char *_Nonnull source, int source_size,
                            unsigned char *_Nonnull destination, int destination_size);

#ifdef __cplusplus
}
#endif

#endif
