#define _GNU_SOURCE
#include "camera.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "digits.h"
#include "oddities.h"
#include "signal.h"

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
  if (camera->pictures != NULL) {
    if (sequence == 0 || camera->begins_anew) camera->first = sequence;
    camera->begins_anew = false;
    const uint32_t shown = sequence - camera->first, last = camera->picture_count - 1;
    const uint32_t next = oddity.shows_in_turn ? shown % camera->picture_count : shown < last ? shown : last;
    memcpy(camera->mapped + (size_t)room(camera) * buffer, camera->pictures + (size_t)camera->mode->length * next,
           camera->mode->length);
  }
  if (draws_numbers) draw_number(camera->mapped + (size_t)room(camera) * buffer, camera->mode, sequence);
  camera->stamped = stamp(sequence, captured, camera->stamped);
  camera->filled_at[buffer] = (struct timeval){.tv_sec = (time_t)(camera->stamped / NANOSECONDS),
                                               .tv_usec = (suseconds_t)(camera->stamped % NANOSECONDS / 1000)};
  camera->sequences[buffer] = sequence;
  put(&camera->filled, buffer);
  if (write(camera->write_end, "", 1) != 1) die("write");
}

static bool is_same(struct timespec one, struct timespec other) {
  return one.tv_sec == other.tv_sec && one.tv_nsec == other.tv_nsec;
}

// Tells the process of another signal, once for each.
static void tell_signal(camera *camera) {
  const struct timespec changed = signal_time();
  if (camera->listener != camera->streaming || is_same(changed, camera->heard)) return;
  camera->heard = changed;
  if (camera->has_event) return;
  camera->has_event = true;
  if (write(camera->write_end, "", 1) != 1) die("write");
}

short ready_events(camera *camera, short wanted) {
  pthread_mutex_lock(&camera->lock);
  const int found = (count(&camera->filled) > 0 ? POLLIN : 0) | (camera->has_event ? POLLPRI : 0);
  pthread_mutex_unlock(&camera->lock);
  return (short)(found & wanted);
}

void listen_to_signal(camera *camera, int descriptor) {
  pthread_mutex_lock(&camera->lock);
  camera->listener = descriptor;
  camera->heard = signal_time();
  pthread_mutex_unlock(&camera->lock);
}

bool take_event(camera *camera, int descriptor) {
  pthread_mutex_lock(&camera->lock);
  const bool had = camera->has_event && camera->listener == descriptor;
  if (had) camera->has_event = false;
  pthread_mutex_unlock(&camera->lock);
  return had;
}

// Whether the test keeps all cameras from filling buffers, by the file `paused`.
static bool is_paused(void) {
  char path[2 * PATH_ROOM];
  snprintf(path, sizeof path, "%s/paused", folder);
  return access(path, F_OK) == 0;
}

// Returns at a time, or soon after the stream has stopped.
static void wait_until(camera *camera, uint64_t time) {
  const uint64_t longest = NANOSECONDS / 10;
  struct timespec now;
  for (bool streams = true; streams;) {
    clock_gettime(CLOCK_MONOTONIC, &now);
    const uint64_t present = (uint64_t)now.tv_sec * NANOSECONDS + (uint64_t)now.tv_nsec;
    const uint64_t until = present + longest < time ? present + longest : time;
    const struct timespec next = {.tv_sec = (time_t)(until / NANOSECONDS), .tv_nsec = (long)(until % NANOSECONDS)};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
    if (until == time) return;
    pthread_mutex_lock(&camera->lock);
    streams = camera->streaming >= 0;
    pthread_mutex_unlock(&camera->lock);
  }
}

// Fills one waiting buffer at each frame, until the stream stops. A frame without a waiting buffer is lost.
static void *stream(void *argument) {
  camera *camera = argument;
  const uint64_t period = NANOSECONDS * oddity.period / camera->mode->rate, place = period * camera->place / 1000;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  uint64_t due = ((uint64_t)now.tv_sec * NANOSECONDS + (uint64_t)now.tv_nsec) / period * period + place;
  for (uint32_t sequence = 0;; sequence++) {
    due += period;
    wait_until(camera, due);
    pthread_mutex_lock(&camera->lock);
    const bool streams = camera->streaming >= 0;
    if (streams) tell_signal(camera);
    const bool is_lost = oddity.lost > 0 && sequence == oddity.lost;
    if (streams && !is_lost && !is_paused() && count(&camera->waiting) > 0) fill(camera, sequence, due);
    pthread_mutex_unlock(&camera->lock);
    if (!streams) return NULL;
  }
}

// The bytes of as many buffers as a process may have. It can add buffers while the camera streams.
static size_t most(const camera *camera) {
  return (size_t)room(camera) * MAX_BUFFERS;
}

// Whether the camera writes into its buffers while it streams.
static bool writes(void) {
  return draws_numbers || oddity.shows_once || oddity.shows_in_turn;
}

// Reads all pictures of the mode.
static void read_pictures(camera *camera) {
  FILE *file = open_pictures(camera->mode);
  fseek(file, 0, SEEK_END);
  camera->picture_count = (uint32_t)((size_t)ftell(file) / camera->mode->length);
  const size_t size = (size_t)camera->mode->length * camera->picture_count;
  camera->pictures = malloc(size);
  rewind(file);
  if (camera->pictures == NULL || fread(camera->pictures, 1, size, file) != size) die("the pictures");
  fclose(file);
}

void start_stream(camera *camera, int descriptor, int write_end) {
  if (oddity.shows_once || oddity.shows_in_turn) read_pictures(camera);
  if (writes()) {
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
  char bytes[MAX_BUFFERS + 1];
  const uint32_t unread = count(&camera->filled) + camera->has_event;
  if (unread > 0 && read(descriptor, bytes, unread) != (ssize_t)unread) die("read");
  camera->waiting = camera->filled = (queue){0};
  camera->has_event = false;
  if (writes()) munmap(camera->mapped, most(camera));
  free(camera->pictures);
  camera->pictures = NULL;
}

int ask_for_key_frame(camera *camera) {
  if (!oddity.takes_key_frame_requests) return fail(EINVAL);
  pthread_mutex_lock(&camera->lock);
  camera->begins_anew = true;
  pthread_mutex_unlock(&camera->lock);
  return 0;
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
