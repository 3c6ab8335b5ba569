#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "camera.h"

enum { GET_STATUS = 0, CLEAR_FEATURE = 1, GET_DESCRIPTOR = 6, GET_CONFIGURATION = 8, GET_INTERFACE = 10 };
enum { SET_CUR = 1, GET_LEN = 0x85, GET_INFO = 0x86, GET_CUR = 0x81, TO_ENDPOINT = 2 };

// The answer to a control request: `length` bytes, or a protocol stall when `refused`.
struct answer {
  bool refused;
  size_t length;
  uint8_t data[1024];
};

static uint32_t little_endian(const uint8_t *bytes) {
  return bytes[0] | bytes[1] << 8 | bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static void put(uint8_t *bytes, uint32_t value) {
  for (int index = 0; index < 4; index++) bytes[index] = value >> (8 * index);
}

// Replaces the values that the kernel asked for (USB Video Class 1.1, 4.3.1.1) by values that the camera has.
static void negotiate(struct camera *camera) {
  uint8_t *probe = camera->probe;
  const struct size *sizes;
  const uint32_t *intervals;
  const bool is_video = probe[2] == H264 && camera->identity.has_video;
  probe[2] = probe[2] == YUYV || is_video ? probe[2] : MJPG;
  const unsigned count = format_sizes(probe[2], &sizes), rates = format_intervals(&intervals);
  unsigned size = probe[3] >= 1 && probe[3] <= count ? probe[3] - 1 : 0;
  if (memcmp(&sizes[size], &camera->dishonoured, sizeof *sizes) == 0) size = size == 0 ? count - 1 : 0;
  probe[3] = size + 1;
  const uint32_t asked = little_endian(probe + 4);
  const uint32_t wanted = asked == 0 ? camera->identity.default_interval : asked;
  uint32_t interval = intervals[0];
  for (unsigned rate = 1; rate < rates; rate++)
    if (llabs((long long)intervals[rate] - wanted) < llabs((long long)interval - wanted)) interval = intervals[rate];
  put(probe + 4, interval);
  put(probe + 18, sizes[size].width * sizes[size].height * 2);
  put(probe + 22, MAXIMUM_PAYLOAD);
  put(probe + 26, CLOCK_FREQUENCY);
}

static void answer_stream(struct camera *camera, const struct request *request, bool commit, struct answer *answer) {
  switch (request->setup[1]) {
    case SET_CUR:
      memcpy(camera->probe, request->data, request->length < PROBE_LENGTH ? request->length : PROBE_LENGTH);
      negotiate(camera);
      if (commit) stream_begin(camera);
      break;
    case GET_LEN:
      answer->data[0] = PROBE_LENGTH;
      answer->length = 2;
      break;
    case GET_INFO:
      answer->data[0] = 3;
      answer->length = 1;
      break;
    default:
      negotiate(camera);
      memcpy(answer->data, camera->probe, PROBE_LENGTH);
      answer->length = PROBE_LENGTH;
  }
}

static void answer_standard(struct camera *camera, const struct request *request, struct answer *answer) {
  const uint8_t *setup = request->setup;
  switch (setup[1]) {
    case GET_STATUS:
      answer->length = 2;
      break;
    case CLEAR_FEATURE:
      // uvcvideo ends a stream by clearing the halt of its endpoint.
      if ((setup[0] & 0x1f) == TO_ENDPOINT) stream_end(camera);
      break;
    case GET_DESCRIPTOR:
      answer->length = describe(&camera->identity, setup[3], setup[2], answer->data);
      answer->refused = answer->length == 0;
      break;
    case GET_CONFIGURATION:
      answer->data[0] = 1;
      answer->length = 1;
      break;
    case GET_INTERFACE:
      answer->length = 1;
      break;
  }
}

// The target of a request: a control, PROBE or COMMIT. TARGETS for any other request.
static unsigned target(const struct request *request) {
  const uint8_t *setup = request->setup;
  const uint8_t selector = setup[3], interface = setup[4], entity = setup[5];
  if ((setup[0] & 0x60) != 0x20) return TARGETS;
  if (interface == STREAM_INTERFACE) return entity == 0 && selector == 1 ? PROBE : selector == 2 ? COMMIT : TARGETS;
  const enum control control = control_at(entity, selector);
  return control == CONTROL_COUNT ? TARGETS : control;
}

static bool unplugs(struct camera *camera, const struct request *request, unsigned target) {
  const bool set = request->setup[1] == SET_CUR, get = request->setup[1] == GET_CUR;
  const bool standard = (request->setup[0] & 0x60) == 0;
  // The kernel sends this request first to a camera that slept.
  if (standard && request->setup[1] == GET_STATUS && camera_unplugs(camera, POINT_OPEN, request)) return true;
  if (set && target == PROBE && camera_unplugs(camera, POINT_PROBE, request)) return true;
  if (set && target == COMMIT && camera_unplugs(camera, POINT_COMMIT, request)) return true;
  if (target != camera->unplug.control) return false;
  return (set && camera_unplugs(camera, POINT_SET, request)) || (get && camera_unplugs(camera, POINT_GET, request));
}

static void answer_control(struct camera *camera, const struct request *request, unsigned target,
                           struct answer *answer) {
  if (request->setup[1] == SET_CUR) return control_set(&camera->controls, target, request->data);
  const int length = control_get(&camera->controls, target, request->setup[1], answer->data);
  answer->refused = length < 0;
  answer->length = length < 0 ? 0 : length;
}

void camera_request(struct camera *camera, const struct request *request) {
  const unsigned target_ = target(request);
  if (unplugs(camera, request, target_)) return;
  const bool current = request->setup[1] == SET_CUR || request->setup[1] == GET_CUR;
  struct answer answer = {0};
  if (target_ < TARGETS && current && camera->answers[target_].refused) {
    answer.refused = true;
  } else if (target_ < CONTROL_COUNT) {
    answer_control(camera, request, target_, &answer);
  } else if (target_ < TARGETS) {
    answer_stream(camera, request, target_ == COMMIT, &answer);
  } else if ((request->setup[0] & 0x60) == 0) {
    answer_standard(camera, request, &answer);
  } else {
    answer.refused = true;
  }
  const int32_t status = answer.refused ? -EPIPE : 0;
  size_t length = request->in ? answer.length : request->length;
  if (answer.refused) length = 0;
  if (length > request->length) length = request->length;
  const unsigned late_ms = target_ < TARGETS && current ? camera->answers[target_].late_ms : 0;
  if (late_ms == 0 || camera->late_count == LATE) {
    usbip_answer(camera->cable, request, status, answer.data, length);
    return;
  }
  typeof(*camera->late) *late = &camera->late[camera->late_count++];
  late->request = *request;
  late->due_ns = now_ns() + late_ms * 1000000ull;
  late->status = status;
  late->length = length;
  memcpy(late->data, answer.data, sizeof late->data);
}

bool camera_give_up(struct camera *camera, uint32_t id) {
  for (unsigned index = 0; index < camera->late_count; index++) {
    if (camera->late[index].request.id != id) continue;
    camera->late[index] = camera->late[--camera->late_count];
    return true;
  }
  for (unsigned index = 0; index < camera->stream.waiting_count; index++) {
    if (camera->stream.waiting[index].id != id) continue;
    struct request *from = &camera->stream.waiting[index];
    memmove(from, from + 1, (--camera->stream.waiting_count - index) * sizeof *from);
    return true;
  }
  return false;
}

void camera_answer_late(struct camera *camera, uint64_t now) {
  for (unsigned index = 0; index < camera->late_count;) {
    typeof(*camera->late) *late = &camera->late[index];
    if (late->due_ns > now) {
      index++;
      continue;
    }
    usbip_answer(camera->cable, &late->request, late->status, late->data, late->length);
    *late = camera->late[--camera->late_count];
  }
}
