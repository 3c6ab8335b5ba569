// Takes a frame from a camera with the fewest steps: open, set the format and rate, map four buffers, STREAMON, DQBUF.
//
// Usage: probe NODE WIDTH HEIGHT FPS. Prints the milliseconds from before open to the first frame. Then prints the
// milliseconds that libjpeg takes to compress this frame as JPEG, 4:2:0, quality 80: the median of five runs, after one
// run that touches code and memory.
#include <errno.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>

#include <jpeglib.h>  // jpeglib.h needs stdio.h before it.

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void call(int fd, unsigned long request, void *argument, const char *name) {
  if (ioctl(fd, request, argument) == 0) return;
  fprintf(stderr, "%s: %s\n", name, strerror(errno));
  exit(1);
}

// Splits 16 lines of YUYV into planes, with the chroma of every other line, and compresses them.
static void encode(const uint8_t *yuyv, unsigned stride, unsigned width, unsigned height) {
  static uint8_t luma[16][4096], chroma[2][8][2048];
  static uint8_t *output;
  static unsigned long count;
  JSAMPROW y[16], u[8], v[8];
  JSAMPARRAY planes[3] = {y, u, v};
  for (unsigned i = 0; i < 16; i++) y[i] = luma[i];
  for (unsigned i = 0; i < 8; i++) u[i] = chroma[0][i], v[i] = chroma[1][i];

  struct jpeg_compress_struct compress;
  struct jpeg_error_mgr errors;
  compress.err = jpeg_std_error(&errors);
  jpeg_create_compress(&compress);
  jpeg_mem_dest(&compress, &output, &count);
  compress.image_width = width;
  compress.image_height = height;
  compress.input_components = 3;
  compress.in_color_space = JCS_YCbCr;
  jpeg_set_defaults(&compress);
  jpeg_set_quality(&compress, 80, TRUE);
  compress.raw_data_in = TRUE;
  jpeg_start_compress(&compress, TRUE);
  while (compress.next_scanline < height) {
    for (unsigned line = 0; line < 16; line++) {
      const unsigned row = compress.next_scanline + line;
      const uint8_t *from = yuyv + (size_t)stride * (row < height ? row : height - 1);
      for (unsigned x = 0; x < width; x++) luma[line][x] = from[2 * x];
      if (line % 2) continue;
      for (unsigned x = 0; x < width / 2; x++) {
        chroma[0][line / 2][x] = from[4 * x + 1];
        chroma[1][line / 2][x] = from[4 * x + 3];
      }
    }
    jpeg_write_raw_data(&compress, planes, 16);
  }
  jpeg_finish_compress(&compress);
  jpeg_destroy_compress(&compress);
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int main(int argc, char **argv) {
  if (argc != 5) return 2;
  const double begin = now();
  const int fd = open(argv[1], O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return perror(argv[1]), 1;

  struct v4l2_format format = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE};
  format.fmt.pix.width = (unsigned)atoi(argv[2]);
  format.fmt.pix.height = (unsigned)atoi(argv[3]);
  format.fmt.pix.pixelformat = V4L2_PIX_FMT_YUYV;
  call(fd, VIDIOC_S_FMT, &format, "S_FMT");
  struct v4l2_streamparm rate = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE};
  rate.parm.capture.timeperframe = (struct v4l2_fract){1, (unsigned)atoi(argv[4])};
  call(fd, VIDIOC_S_PARM, &rate, "S_PARM");

  struct v4l2_requestbuffers wanted = {.count = 4, .type = format.type, .memory = V4L2_MEMORY_MMAP};
  call(fd, VIDIOC_REQBUFS, &wanted, "REQBUFS");
  uint8_t *memory[32];
  for (unsigned i = 0; i < wanted.count && i < 32; i++) {
    struct v4l2_buffer buffer = {.index = i, .type = format.type, .memory = V4L2_MEMORY_MMAP};
    call(fd, VIDIOC_QUERYBUF, &buffer, "QUERYBUF");
    memory[i] = mmap(NULL, buffer.length, PROT_READ, MAP_SHARED, fd, buffer.m.offset);
    if (memory[i] == MAP_FAILED) return perror("mmap"), 1;
    call(fd, VIDIOC_QBUF, &buffer, "QBUF");
  }
  int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
  call(fd, VIDIOC_STREAMON, &type, "STREAMON");
  struct pollfd ready = {.fd = fd, .events = POLLIN};
  if (poll(&ready, 1, 10000) != 1) return fprintf(stderr, "no frame\n"), 1;
  struct v4l2_buffer buffer = {.type = format.type, .memory = V4L2_MEMORY_MMAP};
  call(fd, VIDIOC_DQBUF, &buffer, "DQBUF");
  const double first = now() - begin;

  call(fd, VIDIOC_STREAMOFF, &type, "STREAMOFF");
  double took[5];
  const struct v4l2_pix_format pix = format.fmt.pix;
  encode(memory[buffer.index], pix.bytesperline, pix.width, pix.height);
  for (unsigned i = 0; i < 5; i++) {
    const double start = now();
    encode(memory[buffer.index], pix.bytesperline, pix.width, pix.height);
    took[i] = now() - start;
  }
  qsort(took, 5, sizeof took[0], ascending);
  printf("%.2f %.2f\n", first, took[2]);
  return 0;
}
