#define _GNU_SOURCE
#include "camera.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "digits.h"

static const uint64_t NANOSECONDS = 1000000000;

char folder[PATH_ROOM];
bool draws_numbers;

void die(const char *what) {
  fprintf(stderr, "preloaded cameras: %s: %s\n", what, strerror(errno));
  abort();
}

static void put(queue *queue, uint32_t buffer) {
  queue->buffers[queue->put++ % MAX_BUFFERS] = buffer;
}

static uint32_t take(queue *queue) {
  return queue->buffers[queue->taken++ % MAX_BUFFERS];
}

static uint32_t count(const queue *queue) {
  return queue->put - queue->taken;
}

uint32_t room(const camera *camera) {
  return (camera->mode->length + 4095) & ~(uint32_t)4095;
}

// Opens the file with the pictures of a mode.
static FILE *open_pictures(const mode *mode) {
  char path[2 * PATH_ROOM], code[5] = {0};
  memcpy(code, &mode->pixel_format, 4);
  snprintf(path, sizeof path, "%s/%s-%ux%u", folder, code, mode->width, mode->height);
  FILE *file = fopen(path, "re");
  if (file == NULL) die(path);
  return file;
}

void add_buffers(camera *camera, uint32_t added) {
  const size_t size = (size_t)room(camera) * (camera->buffer_count + added), length = camera->mode->length;
  if (camera->memory < 0) camera->memory = memfd_create("fake-camera", MFD_CLOEXEC);
  if (camera->memory < 0 || ftruncate(camera->memory, (off_t)size) != 0) die("the memory of the buffers");
  FILE *file = open_pictures(camera->mode);
  uint8_t *picture = malloc(length);
  if (picture == NULL) die("the memory of a picture");
  fseek(file, 0, SEEK_END);
  // The file may have fewer pictures than the process has buffers.
  const uint32_t picture_count = (uint32_t)((size_t)ftell(file) / length);
  if (picture_count == 0) die("a file without a whole picture");
  for (const uint32_t end = camera->buffer_count + added; camera->buffer_count < end; camera->buffer_count++) {
    fseek(file, (long)(camera->buffer_count % picture_count * length), SEEK_SET);
    if (fread(picture, 1, length, file) != length) die("a picture");
    const off_t begin = (off_t)room(camera) * camera->buffer_count;
    if (pwrite(camera->memory, picture, length, begin) != (ssize_t)length) die("pwrite");
  }
  free(picture);
  fclose(file);
}

void remove_buffers(camera *camera) {
  if (camera->memory >= 0) close(camera->memory);
  camera->memory = camera->owner = -1;
  camera->buffer_count = 0;
  camera->waiting = camera->filled = (queue){0};
}

// Fills the oldest waiting buffer.
static void fill(camera *camera, uint32_t sequence, uint64_t captured) {
  const uint32_t buffer = take(&camera->waiting);
  if (draws_numbers) draw_number(camera->mapped + (size_t)room(camera) * buffer, camera->mode, sequence);
  camera->filled_at[buffer] = (struct timeval){.tv_sec = (time_t)(captured / NANOSECONDS),
                                               .tv_usec = (suseconds_t)(captured % NANOSECONDS / 1000)};
  camera->sequences[buffer] = sequence;
  put(&camera->filled, buffer);
  if (write(camera->write_end, "", 1) != 1) die("write");
}

// Fills one waiting buffer at each frame, until the stream stops. A frame without a waiting buffer is lost.
static void *stream(void *argument) {
  camera *camera = argument;
  const uint64_t period = NANOSECONDS / camera->mode->rate, place = period * camera->place / 1000;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  uint64_t due = ((uint64_t)now.tv_sec * NANOSECONDS + (uint64_t)now.tv_nsec) / period * period + place;
  for (uint32_t sequence = 0;; sequence++) {
    due += period;
    const struct timespec next = {.tv_sec = (time_t)(due / NANOSECONDS), .tv_nsec = (long)(due % NANOSECONDS)};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
    pthread_mutex_lock(&camera->lock);
    const bool streams = camera->streaming >= 0;
    if (streams && count(&camera->waiting) > 0) fill(camera, sequence, due);
    pthread_mutex_unlock(&camera->lock);
    if (!streams) return NULL;
  }
}

// The bytes of as many buffers as a process may have. It can add buffers while the camera streams.
static size_t most(const camera *camera) {
  return (size_t)room(camera) * MAX_BUFFERS;
}

void start_stream(camera *camera, int descriptor, int write_end) {
  if (draws_numbers) {
    camera->mapped = mmap(NULL, most(camera), PROT_READ | PROT_WRITE, MAP_SHARED, camera->memory, 0);
    if (camera->mapped == MAP_FAILED) die("mmap");
  }
  camera->streaming = descriptor;
  camera->write_end = write_end;
  if (pthread_create(&camera->thread, NULL, stream, camera) != 0) die("pthread_create");
  pthread_setname_np(camera->thread, "fake-camera");
}

void stop_stream(camera *camera, int descriptor) {
  pthread_mutex_lock(&camera->lock);
  const bool ends = camera->streaming == descriptor;
  if (ends) camera->streaming = -1;
  pthread_mutex_unlock(&camera->lock);
  if (!ends) return;
  pthread_join(camera->thread, NULL);
  char bytes[MAX_BUFFERS];
  const uint32_t unread = count(&camera->filled);
  if (unread > 0 && read(descriptor, bytes, unread) != (ssize_t)unread) die("read");
  camera->waiting = camera->filled = (queue){0};
  if (draws_numbers) munmap(camera->mapped, most(camera));
}

void queue_buffer(camera *camera, uint32_t buffer) {
  pthread_mutex_lock(&camera->lock);
  put(&camera->waiting, buffer);
  pthread_mutex_unlock(&camera->lock);
}

void dequeue_buffer(camera *camera, struct v4l2_buffer *buffer) {
  pthread_mutex_lock(&camera->lock);
  buffer->index = take(&camera->filled);
  buffer->timestamp = camera->filled_at[buffer->index];
  buffer->sequence = camera->sequences[buffer->index];
  pthread_mutex_unlock(&camera->lock);
}
