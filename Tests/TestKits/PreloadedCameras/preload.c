// V4L2 cameras that cost their reader no more than a good driver does. Preload the library that `build` makes of the C
// files of this folder, and name a folder in PRELOADED_CAMERAS. The process then finds the cameras of that folder, and
// no other. Other processes see nothing of them, and no root is needed. The folder has these files:
//
//   video99            stands for the node; further cameras have video100, video101 and so on. Its text is the number
//                      of thousandths of a period by which the frames of the camera come after the period's beginning
//   modes              one line for each mode, for example "YUYV 1280 720 30 1843200 0": the format, the width, the
//                      height, the frames per second, the bytes of a picture, and V4L2's number for the range of the
//                      samples. The first mode is that of a camera that no program has set
//   YUYV-1280x720      the pictures of this format and size, one after another, each with that many bytes
//   digits             if it is there, the glyphs with which a camera draws the number of each frame into its picture,
//                      where the driver vivid draws it: for each digit ten bytes, which are ten lines of eight pixels.
//                      It writes the number into a JPEG as the first ten bytes of the comment with which the JPEG
//                      must begin
//                      A change of the file changes the modes of cameras that no program streams from
//   paused             while it is there, no camera fills a buffer
//   oddities           if it is there, what the cameras do otherwise than good ones, a line for each: "stamps frozen",
//                      "stamps pairs", "stamps zero" or "stamps wall"; "field 7" for V4L2's number of an order of
//                      fields; "period 15" for frames that take 15 times as long as the mode says; "stride 384" for the
//                      bytes from a line to the next; "pictures once" for frames that have the pictures of the file in
//                      their order, and then the last one; "pictures in_turn" for the same, where the first picture
//                      follows the last one; "key_frames asked" for a camera that begins with the first picture when
//                      it is asked for a key frame; "lost 40" for the number of a frame that is lost
//   signal             if it is there when the process starts, the cameras have an input with DV timings. "640 480" is
//                      the size of what a source sends; "ENOLINK", "ENOLCK" and "ERANGE" stand for no signal, an
//                      unstable and an unknown one. The cameras then have the modes of the size to which a program has
//                      set their timings. A change of the file is an event for the program that streams; its frames
//                      go on
//
// The pictures are in the buffers before the stream starts, so that a camera copies nothing. Its thread, fake-camera,
// only wakes the process at each frame, and draws the number. Otherwise a buffer always has the same picture.
//
// All cameras have the same modes and no controls. A frame is stamped with the time at which it is due, also where a
// busy machine lets the thread run later. Who requests buffers locks the node, so that a camera streams for one
// descriptor of one process. A descriptor of a camera is a pipe with one byte for each filled buffer, so select, poll
// and epoll work as usual. The process has the node's file open as long as it has the descriptor.

#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "calls.h"
#include "digits.h"
#include "oddities.h"
#include "signal.h"

#define FOLDER "/dev"
#define NODES FOLDER "/video"

// The function of this name in the libraries that were loaded after this one.
#define NEXT(name)                                               \
  ({                                                             \
    static typeof(name) *next;                                   \
    if (next == NULL) *(void **)&next = dlsym(RTLD_NEXT, #name); \
    next;                                                        \
  })

enum { FIRST_NODE = 99, MAX_CAMERAS = 16, MAX_DESCRIPTORS = 4096 };

static camera cameras[MAX_CAMERAS];
static uint32_t camera_count;

// For each descriptor of a camera its handle. Every other descriptor has no camera.
static handle handles[MAX_DESCRIPTORS];

// Reads the folder once. Other libraries may open files before the constructors of this one run.
__attribute__((constructor)) static void prepare(void) {
  static bool is_prepared;
  if (is_prepared) return;
  is_prepared = true;
  const char *given = getenv("PRELOADED_CAMERAS");
  if (given == NULL) die("PRELOADED_CAMERAS");
  char path[2 * PATH_ROOM];
  snprintf(folder, sizeof folder, "%s", given);
  snprintf(path, sizeof path, "%s/modes", folder);
  read_modes(path);
  snprintf(path, sizeof path, "%s/digits", folder);
  draws_numbers = read_digits(path);
  snprintf(path, sizeof path, "%s/oddities", folder);
  read_oddities(path);
  snprintf(path, sizeof path, "%s/signal", folder);
  find_signal(path);
  for (; camera_count < MAX_CAMERAS; camera_count++) {
    camera *camera = &cameras[camera_count];
    snprintf(camera->node, sizeof camera->node, "%s/video%u", given, FIRST_NODE + camera_count);
    FILE *file = fopen(camera->node, "re");
    if (file == NULL) break;
    if (fscanf(file, "%u", &camera->place) != 1) die(camera->node);
    fclose(file);
    pthread_mutex_init(&camera->lock, NULL);
    camera->number = camera_count;
    camera->mode = default_mode();
    camera->memory = camera->streaming = camera->owner = camera->listener = -1;
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

// The handle of a descriptor of a camera, or NULL.
static handle *handle_of(int descriptor) {
  const bool is_camera = descriptor >= 0 && descriptor < MAX_DESCRIPTORS && handles[descriptor].camera != NULL;
  return is_camera ? &handles[descriptor] : NULL;
}

static int open_camera(camera *camera, int flags) {
  int ends[2];
  const int node = NEXT(open)(camera->node, O_RDONLY | O_CLOEXEC);
  if (node < 0) return -1;
  if (pipe2(ends, (flags & O_NONBLOCK) | O_CLOEXEC) != 0) {
    NEXT(close)(node);
    return -1;
  }
  if (ends[0] >= MAX_DESCRIPTORS) die("too many descriptors");
  handles[ends[0]] = (handle){.camera = camera, .write_end = ends[1], .node = node};
  return ends[0];
}

static void close_camera(int descriptor, handle *handle) {
  camera *camera = handle->camera;
  stop_stream(camera, descriptor);
  if (camera->listener == descriptor) camera->listener = -1;
  if (camera->owner == handle->node) remove_buffers(camera);
  NEXT(close)(handle->write_end);
  NEXT(close)(handle->node);
  handle->camera = NULL;
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
  return camera != NULL ? open_camera(camera, flags) : NEXT(open)(path, flags, mode);
}

int close(int descriptor) {
  handle *handle = handle_of(descriptor);
  if (handle != NULL) close_camera(descriptor, handle);
  return NEXT(close)(descriptor);
}

int ioctl(int descriptor, unsigned long request, ...) {
  va_list arguments;
  va_start(arguments, request);
  void *argument = va_arg(arguments, void *);
  va_end(arguments);
  const handle *handle = handle_of(descriptor);
  return handle != NULL ? call_camera(handle, descriptor, (unsigned)request, argument)
                        : NEXT(ioctl)(descriptor, request, argument);
}

int poll(struct pollfd *descriptors, nfds_t count, int timeout) {
  const int found = NEXT(poll)(descriptors, count, timeout);
  for (nfds_t each = 0; found > 0 && each < count; each++) {
    const handle *handle = handle_of(descriptors[each].fd);
    if (handle != NULL && (descriptors[each].revents & POLLIN) != 0)
      descriptors[each].revents = ready_events(handle->camera, descriptors[each].events);
  }
  return found;
}

void *mmap(void *address, size_t size, int protection, int flags, int descriptor, off_t offset) {
  const handle *handle = handle_of(descriptor);
  return NEXT(mmap)(address, size, protection, flags, handle != NULL ? handle->camera->memory : descriptor, offset);
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
