// The camera: its identity, the commands that it got, and its present state. One thread does everything. See webcam.c.
#pragma once

#include "controls.h"
#include "descriptors.h"
#include "formats.h"
#include "picture.h"
#include "spoil.h"
#include "usbip.h"

enum { PROBE_LENGTH = 34, WAITING = 64, LATE = 16 };

// The targets of requests to which a test can give another answer: the controls, PROBE and COMMIT.
enum { PROBE = CONTROL_COUNT, COMMIT, TARGETS };

// The points at which the camera can unplug itself, once.
enum point { POINT_NONE, POINT_OPEN, POINT_PROBE, POINT_COMMIT, POINT_FRAME, POINT_SET, POINT_GET };

struct camera {
  unsigned port;
  uint32_t number;
  struct identity identity;
  // The size that the camera lists and never agrees to. 0 x 0 for none.
  struct size dishonoured;

  // The socket to the kernel, or -1 when the camera is unplugged.
  int cable;
  struct controls controls;
  uint8_t probe[PROBE_LENGTH];

  struct {
    bool on, stalled;
    // The number and the time of the picture that the camera sends, or of the next one. The time is in CLOCK_MONOTONIC.
    uint64_t number, due_ns;
    // The bytes of the picture that the camera sends, and how many it has sent. There is no such picture when both are
    // equal.
    size_t length, sent;
    uint32_t presentation;
    bool toggle, broken;
    // The number of periods without a picture, because the camera was still sending the picture before.
    uint64_t late;
    // The kernel's requests for payloads, the oldest first.
    struct request waiting[WAITING];
    unsigned waiting_count;
    uint8_t picture[MAXIMUM_PICTURE];
  } stream;

  double noise;
  struct spoilt spoilt;
  struct {
    unsigned late_ms;
    bool refused;
  } answers[TARGETS];
  // The answers that the camera holds back. The kernel sends one control request at a time, but may give up some.
  struct {
    struct request request;
    uint64_t due_ns;
    int32_t status;
    uint8_t data[64];
    size_t length;
  } late[LATE];
  unsigned late_count;
  struct {
    enum point point;
    // The number of the picture at POINT_FRAME.
    uint64_t frame;
    // The control at POINT_SET and POINT_GET.
    enum control control;
  } unplug;
  // The folder into which the camera writes each picture that it sends. Empty for none.
  char recording[256];
};

uint64_t now_ns(void);

// camera.c: plugs the camera in, which returns 0 or errno, and unplugs it.
int camera_plug(struct camera *camera);
void camera_unplug(struct camera *camera);
// Unplugs the camera if it is to unplug itself at this point. Returns whether it did. `request` is the request that
// then fails, or NULL.
bool camera_unplugs(struct camera *camera, enum point point, const struct request *request);

// requests.c: answers a control request at once or later. camera_give_up drops a request and returns whether the camera
// had it. camera_answer_late sends the answers that are due.
void camera_request(struct camera *camera, const struct request *request);
bool camera_give_up(struct camera *camera, uint32_t id);
void camera_answer_late(struct camera *camera, uint64_t now);

// stream.c: begins and ends to send pictures, and sends what is due. stream_due returns the next time at which
// stream_send must be called, or UINT64_MAX for never. Times are nanoseconds of CLOCK_MONOTONIC.
void stream_begin(struct camera *camera);
void stream_end(struct camera *camera);
void stream_send(struct camera *camera, uint64_t now);
uint64_t stream_due(const struct camera *camera);

// commands.c: obeys a line, and writes a line in answer.
void camera_command(struct camera *camera, char *line);
