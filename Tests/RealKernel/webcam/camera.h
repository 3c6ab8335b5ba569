// The camera: what it is, what it was told, and what it is doing. One thread does everything; see webcam.c.
#pragma once

#include "controls.h"
#include "descriptors.h"
#include "formats.h"
#include "picture.h"
#include "spoil.h"
#include "usbip.h"

enum { PROBE_LENGTH = 34, WAITING = 64, LATE = 16 };

// What a test lets requests meet. PROBE and COMMIT stand beside the controls.
enum { PROBE = CONTROL_COUNT, COMMIT, TARGETS };

// At which point the camera unplugs itself, once.
enum point { POINT_NONE, POINT_OPEN, POINT_PROBE, POINT_COMMIT, POINT_FRAME, POINT_SET, POINT_GET };

struct camera {
  unsigned port;
  uint32_t number;
  struct identity identity;
  // The size that is listed but never agreed to; 0 x 0 for none.
  struct size dishonoured;

  // -1 when unplugged.
  int cable;
  struct controls controls;
  uint8_t probe[PROBE_LENGTH];

  struct {
    bool on, stalled;
    // Of the picture that is on its way, or of the next one.
    uint64_t number, due_ns;
    // The picture that is on its way; none if `sent` is `length`.
    size_t length, sent;
    uint32_t presentation;
    bool toggle, broken;
    // How many periods passed without a picture, because the last one was still on its way.
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
  // Answers that are held back. The kernel sends one control request at a time, but may give up some.
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
    // Of POINT_FRAME.
    uint64_t frame;
    // Of POINT_SET and POINT_GET.
    enum control control;
  } unplug;
  // Where pictures are written as they are sent; empty for nowhere.
  char recording[256];
};

uint64_t now_ns(void);

// camera.c: plugs it in (0 or errno) and out.
int camera_plug(struct camera *camera);
void camera_unplug(struct camera *camera);
// Unplugs it if that is to happen at this point. `request` is the one that is then not answered, or NULL.
bool camera_unplugs(struct camera *camera, enum point point, const struct request *request);

// requests.c: answers a control request, at once or later, and gives up one.
void camera_request(struct camera *camera, const struct request *request);
bool camera_give_up(struct camera *camera, uint32_t id);
void camera_answer_late(struct camera *camera, uint64_t now);

// stream.c: begins and ends to send pictures, and sends what is due. `stream_due` is when to call stream_send again.
void stream_begin(struct camera *camera);
void stream_end(struct camera *camera);
void stream_send(struct camera *camera, uint64_t now);
uint64_t stream_due(const struct camera *camera);

// commands.c: obeys a line, and writes a line in answer.
void camera_command(struct camera *camera, char *line);
