#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "camera.h"

enum {
  HEADER_LENGTH = 12,
  FRAME_ID = 1,
  END_OF_FRAME = 2,
  HAS_PRESENTATION = 4,
  HAS_CLOCK = 8,
  ERROR = 0x40,
  END = 0x80
};

static uint64_t period_ns(const struct camera *camera) {
  const uint8_t *interval = camera->probe + 4;
  return (interval[0] | interval[1] << 8 | interval[2] << 16 | (uint64_t)interval[3] << 24) * 100;
}

static uint32_t clock_ticks(uint64_t now) {
  return now / 1000 * (CLOCK_FREQUENCY / 1000000);
}

void stream_begin(struct camera *camera) {
  camera->stream.on = true;
  camera->stream.number = 0;
  camera->stream.length = camera->stream.sent = 0;
  camera->stream.due_ns = now_ns() + period_ns(camera);
}

void stream_end(struct camera *camera) {
  camera->stream.on = false;
  camera->stream.length = camera->stream.sent = 0;
}

static void record(const struct camera *camera) {
  char path[sizeof camera->recording + 32];
  snprintf(path, sizeof path, "%s/%llu", camera->recording, (unsigned long long)camera->stream.number);
  const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0 || write(file, camera->stream.picture, camera->stream.length) != (ssize_t)camera->stream.length)
    perror(path);
  if (file >= 0) close(file);
}

static void take_picture(struct camera *camera, uint64_t now) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  controls_adapt(&camera->controls);
  const struct scene scene = {
      .number = camera->stream.number,
      .time_ns = time.tv_sec * 1000000000ull + time.tv_nsec,
      .camera = camera->number,
      .level = controls_level(&camera->controls),
      .brightness = (camera->controls.values[BRIGHTNESS] - 128) / 2,
      .noise = camera->noise,
  };
  const struct size *sizes;
  format_sizes(camera->probe[2], &sizes);
  struct size size = sizes[camera->probe[3] - 1];
  if (is_spoilt(&camera->spoilt, OTHER_SIZE, scene.number)) size = (struct size){320, 180};
  camera->stream.length = make_picture(&scene, camera->probe[2], size, camera->stream.picture);
  camera->stream.length = spoil(&camera->spoilt, scene.number, camera->stream.picture, camera->stream.length);
  camera->stream.broken = is_spoilt(&camera->spoilt, ERROR_BIT, scene.number);
  camera->stream.sent = 0;
  camera->stream.toggle = !camera->stream.toggle;
  camera->stream.presentation = clock_ticks(now);
  if (camera->recording[0] != 0) record(camera);
}

static void send_payload(struct camera *camera, const struct request *request, uint64_t now) {
  static uint8_t payload[MAXIMUM_PAYLOAD];
  size_t size = request->length < sizeof payload ? request->length : sizeof payload;
  size -= HEADER_LENGTH;
  const size_t left = camera->stream.length - camera->stream.sent;
  if (size > left) size = left;
  const bool last = size == left;
  const uint32_t clock = clock_ticks(now);
  payload[0] = HEADER_LENGTH;
  payload[1] = END | HAS_PRESENTATION | HAS_CLOCK | (camera->stream.toggle ? FRAME_ID : 0) | (last ? END_OF_FRAME : 0) |
               (camera->stream.broken ? ERROR : 0);
  memcpy(payload + 2, &camera->stream.presentation, 4);
  memcpy(payload + 6, &clock, 4);
  // The number of the USB frame in 11 bits. There is one USB frame per millisecond.
  payload[10] = now / 1000000 & 0xff, payload[11] = now / 1000000 >> 8 & 7;
  memcpy(payload + HEADER_LENGTH, camera->stream.picture + camera->stream.sent, size);
  usbip_answer(camera->cable, request, 0, payload, HEADER_LENGTH + size);
  camera->stream.sent += size;
}

// Ends a picture that was sent, and sets the time of the next one: one period later, or the last multiple of the period
// that has already passed.
static void finish_picture(struct camera *camera, uint64_t now) {
  camera->stream.length = camera->stream.sent = 0;
  camera->stream.number++;
  camera->stream.due_ns += period_ns(camera);
  if (camera->stream.due_ns >= now) return;
  const uint64_t missed = (now - camera->stream.due_ns) / period_ns(camera);
  camera->stream.late += missed;
  camera->stream.due_ns += missed * period_ns(camera);
}

void stream_send(struct camera *camera, uint64_t now) {
  while (camera->stream.on && !camera->stream.stalled && camera->stream.waiting_count > 0) {
    if (camera->stream.length == 0) {
      if (now < camera->stream.due_ns) return;
      take_picture(camera, now);
    }
    // The stream is in the middle of the unplug picture, or behind this picture when it is so small that it has no
    // middle.
    const uint64_t number = camera->stream.number, last = camera->unplug.frame;
    const bool reached = number > last || (number == last && camera->stream.sent > 0);
    if (reached && camera_unplugs(camera, POINT_FRAME, NULL)) return;
    const struct request request = camera->stream.waiting[0];
    camera_give_up(camera, request.id);
    send_payload(camera, &request, now);
    if (camera->stream.sent == camera->stream.length) finish_picture(camera, now);
  }
}

uint64_t stream_due(const struct camera *camera) {
  const bool idle = !camera->stream.on || camera->stream.stalled || camera->stream.waiting_count == 0;
  return idle ? UINT64_MAX : camera->stream.due_ns;
}
