// V4L2 cameras that cost their reader no more than a good driver does. Build this file and fake_camera_format.c as a
// shared library, preload it, and name a folder in FAKE_CAMERA. The process then finds the cameras of this folder, and
// no other. Other processes see nothing of them, and no root is needed. The folder has these files:
//
//   video99    an empty file, which stands for the node; further cameras have video100, video101 and so on
//   format     one line, for example "YUYV 1280 720 30 1843200": the format, the width, the height, the frames per
//              second, and the bytes of a picture
//   pictures   the pictures, one after another, each with that many bytes
//
// The pictures are in the buffers before the stream starts, so that a camera copies nothing. Its thread, fake-camera,
// only wakes the process at each frame. A buffer always has the same picture.
//
// All cameras have the same format and no controls. Their frames do not come at once but one after another, evenly in
// the period, whatever the order in which their streams start. A descriptor of a camera is a pipe with one byte for
// each filled buffer, so select, poll and epoll work as usual.

#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "fake_camera_format.h"

#define FOLDER "/dev"
#define NODES FOLDER "/video"

// The function of this name in the libraries that were loaded after this one.
#define NEXT(name)                                               \
  ({                                                             \
    static typeof(name) *next;                                   \
    if (next == NULL) *(void **)&next = dlsym(RTLD_NEXT, #name); \
    next;                                                        \
  })

enum { FIRST_NODE = 99, MAX_CAMERAS = 16, MAX_BUFFERS = 32, MAX_DESCRIPTORS = 4096, PATH_ROOM = 512 };
static const uint64_t NANOSECONDS = 1000000000;

// The numbers of buffers in the order in which they came.
typedef struct queue {
  uint32_t buffers[MAX_BUFFERS];
  size_t taken, put;
} queue;

// One camera. The lock guards everything below it.
typedef struct camera {
  // The file that stands for the node.
  char node[PATH_ROOM];
  pthread_mutex_t lock;
  // The memory of all buffers, or -1. It has a name, which /proc/PID/smaps shows.
  int memory;
  uint32_t buffer_count;
  queue waiting, filled;
  struct timeval filled_at[MAX_BUFFERS];
  uint32_t sequences[MAX_BUFFERS];
  // The descriptor that streams, or -1.
  int streaming;
  pthread_t thread;
} camera;

static char folder[PATH_ROOM], pictures[PATH_ROOM];
static camera cameras[MAX_CAMERAS];
static uint32_t camera_count;

// For each descriptor of a camera that camera and the other end of its pipe. Every other descriptor has no camera.
static struct {
  camera *camera;
  int write_end;
} descriptors[MAX_DESCRIPTORS];

static void put(queue *queue, uint32_t buffer) {
  queue->buffers[queue->put++ % MAX_BUFFERS] = buffer;
}

static uint32_t take(queue *queue) {
  return queue->buffers[queue->taken++ % MAX_BUFFERS];
}

static bool is_empty(const queue *queue) {
  return queue->taken == queue->put;
}

static void die(const char *what) {
  fprintf(stderr, "fake_camera: %s: %s\n", what, strerror(errno));
  abort();
}

// Reads the folder once. Other libraries may open files before the constructors of this one run.
__attribute__((constructor)) static void prepare(void) {
  static bool is_prepared;
  if (is_prepared) return;
  is_prepared = true;
  const char *given = getenv("FAKE_CAMERA");
  if (given == NULL) die("FAKE_CAMERA");
  char path[PATH_ROOM], code[5];
  snprintf(folder, sizeof folder, "%s", given);
  snprintf(pictures, sizeof pictures, "%s/pictures", given);
  snprintf(path, sizeof path, "%s/format", given);
  FILE *file = fopen(path, "re");
  if (file == NULL) die(path);
  if (fscanf(file, "%4s %u %u %u %u %u", code, &width, &height, &rate, &length, &quantization) != 6) die(path);
  fclose(file);
  pixel_format = v4l2_fourcc(code[0], code[1], code[2], code[3]);
  for (; camera_count < MAX_CAMERAS; camera_count++) {
    camera *camera = &cameras[camera_count];
    snprintf(camera->node, sizeof camera->node, "%s/video%u", given, FIRST_NODE + camera_count);
    if (NEXT(access)(camera->node, F_OK) != 0) break;
    pthread_mutex_init(&camera->lock, NULL);
    camera->memory = camera->streaming = -1;
  }
}

// The camera whose node the process names, or NULL.
static camera *named(const char *path) {
  prepare();
  if (strncmp(path, NODES, strlen(NODES)) != 0) return NULL;
  char *end;
  const unsigned long number = strtoul(path + strlen(NODES), &end, 10);
  return *end == 0 && number >= FIRST_NODE && number - FIRST_NODE < camera_count ? &cameras[number - FIRST_NODE] : NULL;
}

// The path that really exists for a path that the process names.
static const char *real(const char *path) {
  const camera *camera = named(path);
  return camera != NULL ? camera->node : strcmp(path, FOLDER) == 0 ? folder : path;
}

// The camera of a descriptor, or NULL.
static camera *camera_of(int descriptor) {
  return descriptor >= 0 && descriptor < MAX_DESCRIPTORS ? descriptors[descriptor].camera : NULL;
}

static int open_camera(camera *camera) {
  int ends[2];
  if (pipe2(ends, O_NONBLOCK | O_CLOEXEC) != 0) return -1;
  if (ends[0] >= MAX_DESCRIPTORS) die("too many descriptors");
  descriptors[ends[0]].camera = camera;
  descriptors[ends[0]].write_end = ends[1];
  return ends[0];
}

// The whole size of a buffer in `memory`.
static size_t room(void) {
  return (length + 4095) & ~(size_t)4095;
}

// Fills one waiting buffer at each frame, until the stream stops. A frame without a waiting buffer is lost.
static void *stream(void *argument) {
  camera *camera = argument;
  const uint64_t period = NANOSECONDS / rate, place = period * (uint64_t)(camera - cameras) / camera_count;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  uint64_t due = ((uint64_t)now.tv_sec * NANOSECONDS + (uint64_t)now.tv_nsec) / period * period + place;
  for (uint32_t sequence = 0;; sequence++) {
    due += period;
    const struct timespec next = {.tv_sec = (time_t)(due / NANOSECONDS), .tv_nsec = (long)(due % NANOSECONDS)};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
    pthread_mutex_lock(&camera->lock);
    const int descriptor = camera->streaming;
    if (descriptor >= 0 && !is_empty(&camera->waiting)) {
      const uint32_t buffer = take(&camera->waiting);
      clock_gettime(CLOCK_MONOTONIC, &now);
      camera->filled_at[buffer] = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
      camera->sequences[buffer] = sequence;
      put(&camera->filled, buffer);
      if (write(descriptors[descriptor].write_end, "", 1) != 1) die("write");
    }
    pthread_mutex_unlock(&camera->lock);
    if (descriptor < 0) return NULL;
  }
}

static void start_stream(camera *camera, int descriptor) {
  camera->streaming = descriptor;
  if (pthread_create(&camera->thread, NULL, stream, camera) != 0) die("pthread_create");
  pthread_setname_np(camera->thread, "fake-camera");
}

// Ends the stream of a descriptor, if it is the one that streams. All buffers belong to the process then.
static void stop_stream(camera *camera, int descriptor) {
  pthread_mutex_lock(&camera->lock);
  const bool ends = camera->streaming == descriptor;
  if (ends) camera->streaming = -1;
  pthread_mutex_unlock(&camera->lock);
  if (!ends) return;
  pthread_join(camera->thread, NULL);
  char bytes[MAX_BUFFERS];
  (void)!read(descriptor, bytes, sizeof bytes);
  camera->waiting = camera->filled = (queue){0};
}

// Makes so many buffers besides those that exist, and reads a picture into each.
static void add_buffers(camera *camera, uint32_t count) {
  if (ftruncate(camera->memory, (off_t)(room() * (camera->buffer_count + count))) != 0)
    die("the memory of the buffers");
  FILE *file = fopen(pictures, "re");
  char *picture = malloc(length);
  if (file == NULL || picture == NULL) die(pictures);
  fseek(file, 0, SEEK_END);
  // The file may have fewer pictures than the process has buffers.
  const uint32_t picture_count = (uint32_t)((size_t)ftell(file) / length);
  for (const uint32_t end = camera->buffer_count + count; camera->buffer_count < end; camera->buffer_count++) {
    fseek(file, (long)(camera->buffer_count % picture_count * length), SEEK_SET);
    if (fread(picture, 1, length, file) != length) die(pictures);
    const off_t begin = (off_t)(room() * camera->buffer_count);
    if (pwrite(camera->memory, picture, length, begin) != (ssize_t)length) die("pwrite");
  }
  free(picture);
  fclose(file);
}

// Takes all buffers away, and makes so many new ones.
static void make_buffers(camera *camera, uint32_t count) {
  if (camera->memory >= 0) NEXT(close)(camera->memory);
  camera->memory = -1;
  camera->buffer_count = 0;
  camera->waiting = camera->filled = (queue){0};
  if (count == 0) return;
  camera->memory = memfd_create("fake-camera", MFD_CLOEXEC);
  if (camera->memory < 0) die("the memory of the buffers");
  add_buffers(camera, count);
}

// The state of a buffer as the driver tells it.
static void describe(struct v4l2_buffer *buffer) {
  buffer->flags = V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC | V4L2_BUF_FLAG_TSTAMP_SRC_SOE | V4L2_BUF_FLAG_MAPPED;
  buffer->field = V4L2_FIELD_NONE;
  buffer->bytesused = buffer->length = length;
  buffer->m.offset = (uint32_t)(buffer->index * room());
}

static int request_buffers(camera *camera, struct v4l2_requestbuffers *request) {
  if (request->type != V4L2_BUF_TYPE_VIDEO_CAPTURE || request->memory != V4L2_MEMORY_MMAP) return fail(EINVAL);
  if (camera->streaming >= 0) return fail(EBUSY);
  if (request->count > MAX_BUFFERS) request->count = MAX_BUFFERS;
  request->capabilities = V4L2_BUF_CAP_SUPPORTS_MMAP;
  make_buffers(camera, request->count);
  return 0;
}

static int create_buffers(camera *camera, struct v4l2_create_buffers *request) {
  if (request->format.type != V4L2_BUF_TYPE_VIDEO_CAPTURE || request->memory != V4L2_MEMORY_MMAP) return fail(EINVAL);
  if (request->count > MAX_BUFFERS - camera->buffer_count) return fail(ENOMEM);
  request->index = camera->buffer_count;
  add_buffers(camera, request->count);
  return 0;
}

static int query_buffer(camera *camera, struct v4l2_buffer *buffer) {
  if (buffer->index >= camera->buffer_count) return fail(EINVAL);
  describe(buffer);
  return 0;
}

static int queue_buffer(camera *camera, struct v4l2_buffer *buffer) {
  if (buffer->index >= camera->buffer_count) return fail(EINVAL);
  pthread_mutex_lock(&camera->lock);
  put(&camera->waiting, buffer->index);
  pthread_mutex_unlock(&camera->lock);
  buffer->flags |= V4L2_BUF_FLAG_QUEUED;
  return 0;
}

static int dequeue_buffer(camera *camera, int descriptor, struct v4l2_buffer *buffer) {
  char byte;
  if (read(descriptor, &byte, 1) != 1) return fail(EAGAIN);
  pthread_mutex_lock(&camera->lock);
  buffer->index = take(&camera->filled);
  buffer->timestamp = camera->filled_at[buffer->index];
  buffer->sequence = camera->sequences[buffer->index];
  pthread_mutex_unlock(&camera->lock);
  describe(buffer);
  return 0;
}

static int call_camera(camera *camera, int descriptor, unsigned request, void *argument) {
  switch (request) {
    case VIDIOC_QUERYCAP:
      return query_capability((uint32_t)(camera - cameras), argument);
    case VIDIOC_S_INPUT:
      return *(int *)argument == 0 ? 0 : fail(EINVAL);
    case VIDIOC_ENUM_FMT:
      return enumerate_formats(argument);
    case VIDIOC_ENUM_FRAMESIZES:
      return enumerate_sizes(argument);
    case VIDIOC_ENUM_FRAMEINTERVALS:
      return enumerate_intervals(argument);
    case VIDIOC_G_FMT:
    case VIDIOC_S_FMT:
    case VIDIOC_TRY_FMT:
      return tell_format(argument);
    case VIDIOC_G_PARM:
    case VIDIOC_S_PARM:
      return tell_parameters(argument);
    case VIDIOC_REQBUFS:
      return request_buffers(camera, argument);
    case VIDIOC_CREATE_BUFS:
      return create_buffers(camera, argument);
    case VIDIOC_QUERYBUF:
      return query_buffer(camera, argument);
    case VIDIOC_QBUF:
      return queue_buffer(camera, argument);
    case VIDIOC_DQBUF:
      return dequeue_buffer(camera, descriptor, argument);
    case VIDIOC_STREAMON:
      if (camera->streaming < 0) start_stream(camera, descriptor);
      return camera->streaming == descriptor ? 0 : fail(EBUSY);
    case VIDIOC_STREAMOFF:
      stop_stream(camera, descriptor);
      return 0;
    default:
      return fail(ENOTTY);
  }
}

int open(const char *path, int flags, ...) {
  mode_t mode = 0;
  if ((flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE) {
    va_list arguments;
    va_start(arguments, flags);
    mode = va_arg(arguments, mode_t);
    va_end(arguments);
  }
  camera *camera = named(path);
  return camera != NULL ? open_camera(camera) : NEXT(open)(path, flags, mode);
}

int close(int descriptor) {
  camera *camera = camera_of(descriptor);
  if (camera != NULL) {
    stop_stream(camera, descriptor);
    NEXT(close)(descriptors[descriptor].write_end);
    descriptors[descriptor].camera = NULL;
  }
  return NEXT(close)(descriptor);
}

int ioctl(int descriptor, unsigned long request, ...) {
  va_list arguments;
  va_start(arguments, request);
  void *argument = va_arg(arguments, void *);
  va_end(arguments);
  camera *camera = camera_of(descriptor);
  return camera != NULL ? call_camera(camera, descriptor, (unsigned)request, argument)
                        : NEXT(ioctl)(descriptor, request, argument);
}

void *mmap(void *address, size_t size, int protection, int flags, int descriptor, off_t offset) {
  const camera *camera = camera_of(descriptor);
  return NEXT(mmap)(address, size, protection, flags, camera != NULL ? camera->memory : descriptor, offset);
}

int access(const char *path, int mode) {
  return NEXT(access)(real(path), mode);
}

int stat(const char *restrict path, struct stat *restrict status) {
  return NEXT(stat)(real(path), status);
}

DIR *opendir(const char *path) {
  return NEXT(opendir)(real(path));
}
