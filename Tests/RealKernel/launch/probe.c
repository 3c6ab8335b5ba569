// The least that brings a frame from a camera: open, set the format and rate, four mapped buffers, STREAMON, DQBUF.
// Usage: probe NODE WIDTH HEIGHT FPS. Prints the milliseconds from before open to the first frame.
#include <errno.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>

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
  for (unsigned i = 0; i < wanted.count; i++) {
    struct v4l2_buffer buffer = {.index = i, .type = format.type, .memory = V4L2_MEMORY_MMAP};
    call(fd, VIDIOC_QUERYBUF, &buffer, "QUERYBUF");
    if (mmap(NULL, buffer.length, PROT_READ, MAP_SHARED, fd, buffer.m.offset) == MAP_FAILED) return perror("mmap"), 1;
    call(fd, VIDIOC_QBUF, &buffer, "QBUF");
  }
  int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
  call(fd, VIDIOC_STREAMON, &type, "STREAMON");
  struct pollfd ready = {.fd = fd, .events = POLLIN};
  if (poll(&ready, 1, 10000) != 1) return fprintf(stderr, "no frame\n"), 1;
  struct v4l2_buffer buffer = {.type = format.type, .memory = V4L2_MEMORY_MMAP};
  call(fd, VIDIOC_DQBUF, &buffer, "DQBUF");
  printf("%.2f\n", now() - begin);
  return 0;
}
