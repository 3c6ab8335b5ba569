// A V4L2 camera that costs its reader no more than a good driver does. Build this file and fake_camera_format.c as a
// shared library, preload it, and name a folder in FAKE_CAMERA. The process then finds one camera, NODE, and no other.
// Other processes see nothing of it, and no root is needed. The folder has three files:
//
//   video99    an empty file, which stands for the node
//   format     one line, for example "YUYV 1280 720 30 1843200": the format, the width, the height, the frames per
//              second, and the bytes of a picture
//   pictures   the pictures, one after another, each with that many bytes
//
// The pictures are in the buffers before the stream starts, so that the camera copies nothing. Its thread, fake-camera,
// only wakes the process at each frame. A buffer always has the same picture.
//
// The camera has one format and no controls. A descriptor of the camera is a pipe with one byte for each filled buffer,
// so select, poll and epoll work as usual.

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
#define NAME "video99"
#define NODE FOLDER "/" NAME

// The function of this name in the libraries that were loaded after this one.
#define NEXT(name)                                               \
  ({                                                             \
    static typeof(name) *next;                                   \
    if (next == NULL) *(void **)&next = dlsym(RTLD_NEXT, #name); \
    next;                                                        \
  })

enum { MAX_BUFFERS = 32, MAX_DESCRIPTORS = 4096, PATH_ROOM = 512 };

// The numbers of buffers in the order in which they came.
typedef struct queue {
  uint32_t buffers[MAX_BUFFERS];
  size_t taken, put;
} queue;

static char folder[PATH_ROOM], node[PATH_ROOM], pictures[PATH_ROOM];

// For each descriptor of the camera the other end of its pipe, and 0 for every other descriptor.
static int write_ends[MAX_DESCRIPTORS];

// Guards everything below.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
// The memory of all buffers. It has a name, which /proc/PID/smaps shows.
static int memory = -1;
static uint32_t buffer_count;
static queue waiting, filled;
static struct timeval filled_at[MAX_BUFFERS];
static uint32_t sequences[MAX_BUFFERS];
// The descriptor that streams, or -1.
static int streaming = -1;
static pthread_t thread;

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
  snprintf(node, sizeof node, "%s/" NAME, given);
  snprintf(pictures, sizeof pictures, "%s/pictures", given);
  snprintf(path, sizeof path, "%s/format", given);
  FILE *file = fopen(path, "re");
  if (file == NULL || fscanf(file, "%4s %u %u %u %u", code, &width, &height, &rate, &length) != 5) die(path);
  fclose(file);
  pixel_format = v4l2_fourcc(code[0], code[1], code[2], code[3]);
}

// The path that really exists for a path that the process names.
static const char *real(const char *path) {
  prepare();
  return strcmp(path, NODE) == 0 ? node : strcmp(path, FOLDER) == 0 ? folder : path;
}

static bool is_camera(int descriptor) {
  return descriptor >= 0 && descriptor < MAX_DESCRIPTORS && write_ends[descriptor] != 0;
}

// Opens the camera.
static int open_camera(void) {
  int ends[2];
  if (pipe2(ends, O_NONBLOCK | O_CLOEXEC) != 0) return -1;
  if (ends[0] >= MAX_DESCRIPTORS) die("too many descriptors");
  write_ends[ends[0]] = ends[1];
  return ends[0];
}

// The whole size of a buffer in `memory`.
static size_t room(void) {
  return (length + 4095) & ~(size_t)4095;
}

// Fills one waiting buffer at each frame, until the stream stops. A frame without a waiting buffer is lost.
static void *stream(void *unused) {
  struct timespec due;
  clock_gettime(CLOCK_MONOTONIC, &due);
  for (uint32_t sequence = 0;; sequence++) {
    due.tv_nsec += 1000000000 / rate;
    if (due.tv_nsec >= 1000000000) due.tv_nsec -= 1000000000, due.tv_sec++;
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
    pthread_mutex_lock(&lock);
    const int descriptor = streaming;
    if (descriptor >= 0 && !is_empty(&waiting)) {
      const uint32_t buffer = take(&waiting);
      struct timespec now;
      clock_gettime(CLOCK_MONOTONIC, &now);
      filled_at[buffer] = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
      sequences[buffer] = sequence;
      put(&filled, buffer);
      if (write(write_ends[descriptor], "", 1) != 1) die("write");
    }
    pthread_mutex_unlock(&lock);
    if (descriptor < 0) return unused;
  }
}

static void start_stream(int descriptor) {
  streaming = descriptor;
  if (pthread_create(&thread, NULL, stream, NULL) != 0) die("pthread_create");
  pthread_setname_np(thread, "fake-camera");
}

// Ends the stream of a descriptor, if it is the one that streams. All buffers belong to the process then.
static void stop_stream(int descriptor) {
  pthread_mutex_lock(&lock);
  const bool ends = streaming == descriptor;
  if (ends) streaming = -1;
  pthread_mutex_unlock(&lock);
  if (!ends) return;
  pthread_join(thread, NULL);
  char bytes[MAX_BUFFERS];
  (void)!read(descriptor, bytes, sizeof bytes);
  waiting = filled = (queue){0};
}

// Makes so many buffers besides those that exist, and reads a picture into each.
static void add_buffers(uint32_t count) {
  if (ftruncate(memory, (off_t)(room() * (buffer_count + count))) != 0) die("the memory of the buffers");
  FILE *file = fopen(pictures, "re");
  char *picture = malloc(length);
  if (file == NULL || picture == NULL) die(pictures);
  fseek(file, 0, SEEK_END);
  // The file may have fewer pictures than the process has buffers.
  const uint32_t picture_count = (uint32_t)((size_t)ftell(file) / length);
  for (const uint32_t end = buffer_count + count; buffer_count < end; buffer_count++) {
    fseek(file, (long)(buffer_count % picture_count * length), SEEK_SET);
    if (fread(picture, 1, length, file) != length) die(pictures);
    if (pwrite(memory, picture, length, (off_t)(room() * buffer_count)) != (ssize_t)length) die("pwrite");
  }
  free(picture);
  fclose(file);
}

// Takes all buffers away, and makes so many new ones.
static void make_buffers(uint32_t count) {
  if (memory >= 0) NEXT(close)(memory);
  memory = -1;
  buffer_count = 0;
  waiting = filled = (queue){0};
  if (count == 0) return;
  memory = memfd_create("fake-camera", MFD_CLOEXEC);
  if (memory < 0) die("the memory of the buffers");
  add_buffers(count);
}

// The state of a buffer as the driver tells it.
static void describe(struct v4l2_buffer *buffer) {
  buffer->flags = V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC | V4L2_BUF_FLAG_TSTAMP_SRC_SOE | V4L2_BUF_FLAG_MAPPED;
  buffer->field = V4L2_FIELD_NONE;
  buffer->bytesused = buffer->length = length;
  buffer->m.offset = (uint32_t)(buffer->index * room());
}

static int request_buffers(struct v4l2_requestbuffers *request) {
  if (request->type != V4L2_BUF_TYPE_VIDEO_CAPTURE || request->memory != V4L2_MEMORY_MMAP) return fail(EINVAL);
  if (streaming >= 0) return fail(EBUSY);
  if (request->count > MAX_BUFFERS) request->count = MAX_BUFFERS;
  request->capabilities = V4L2_BUF_CAP_SUPPORTS_MMAP;
  make_buffers(request->count);
  return 0;
}

static int create_buffers(struct v4l2_create_buffers *request) {
  if (request->format.type != V4L2_BUF_TYPE_VIDEO_CAPTURE || request->memory != V4L2_MEMORY_MMAP) return fail(EINVAL);
  if (request->count > MAX_BUFFERS - buffer_count) return fail(ENOMEM);
  request->index = buffer_count;
  add_buffers(request->count);
  return 0;
}

static int query_buffer(struct v4l2_buffer *buffer) {
  if (buffer->index >= buffer_count) return fail(EINVAL);
  describe(buffer);
  return 0;
}

static int queue_buffer(struct v4l2_buffer *buffer) {
  if (buffer->index >= buffer_count) return fail(EINVAL);
  pthread_mutex_lock(&lock);
  put(&waiting, buffer->index);
  pthread_mutex_unlock(&lock);
  buffer->flags |= V4L2_BUF_FLAG_QUEUED;
  return 0;
}

static int dequeue_buffer(int descriptor, struct v4l2_buffer *buffer) {
  char byte;
  if (read(descriptor, &byte, 1) != 1) return fail(EAGAIN);
  pthread_mutex_lock(&lock);
  buffer->index = take(&filled);
  buffer->timestamp = filled_at[buffer->index];
  buffer->sequence = sequences[buffer->index];
  pthread_mutex_unlock(&lock);
  describe(buffer);
  return 0;
}

static int call_camera(int descriptor, unsigned request, void *argument) {
  switch (request) {
    case VIDIOC_QUERYCAP:
      return query_capability(argument);
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
      return request_buffers(argument);
    case VIDIOC_CREATE_BUFS:
      return create_buffers(argument);
    case VIDIOC_QUERYBUF:
      return query_buffer(argument);
    case VIDIOC_QBUF:
      return queue_buffer(argument);
    case VIDIOC_DQBUF:
      return dequeue_buffer(descriptor, argument);
    case VIDIOC_STREAMON:
      if (streaming < 0) start_stream(descriptor);
      return streaming == descriptor ? 0 : fail(EBUSY);
    case VIDIOC_STREAMOFF:
      stop_stream(descriptor);
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
  return real(path) == node ? open_camera() : NEXT(open)(path, flags, mode);
}

int close(int descriptor) {
  if (is_camera(descriptor)) {
    stop_stream(descriptor);
    NEXT(close)(write_ends[descriptor]);
    write_ends[descriptor] = 0;
  }
  return NEXT(close)(descriptor);
}

int ioctl(int descriptor, unsigned long request, ...) {
  va_list arguments;
  va_start(arguments, request);
  void *argument = va_arg(arguments, void *);
  va_end(arguments);
  return is_camera(descriptor) ? call_camera(descriptor, (unsigned)request, argument)
                               : NEXT(ioctl)(descriptor, request, argument);
}

void *mmap(void *address, size_t size, int protection, int flags, int descriptor, off_t offset) {
  return NEXT(mmap)(address, size, protection, flags, is_camera(descriptor) ? memory : descriptor, offset);
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
