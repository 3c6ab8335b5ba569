#include "camera.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

uint64_t now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000ull + time.tv_nsec;
}

int camera_plug(struct camera *camera) {
  if (camera->cable >= 0) return EALREADY;
  // A camera loses its settings with its power.
  controls_reset(&camera->controls);
  memset(camera->probe, 0, sizeof camera->probe);
  camera->late_count = 0;
  camera->cable = usbip_attach(camera->port);
  return camera->cable < 0 ? errno : 0;
}

// Fails the control requests that are still to be answered, as a bus without a device does. Otherwise the kernel would
// wait for its time-out. The requests for payloads are not failed here: they end when the kernel removes the device. If
// they failed earlier, the driver's reaction could meet vhci-hcd in the middle of the removal, and vhci-hcd would then
// never give some of them back.
static void fail_late_requests(struct camera *camera) {
  for (unsigned index = 0; index < camera->late_count; index++)
    usbip_answer(camera->cable, &camera->late[index].request, -EPROTO, NULL, 0);
}

void camera_unplug(struct camera *camera) {
  if (camera->cable < 0) return;
  stream_end(camera);
  fail_late_requests(camera);
  close(camera->cable);
  camera->cable = -1;
  camera->stream.waiting_count = 0;
  camera->late_count = 0;
  camera->unplug.point = POINT_NONE;
}

bool camera_unplugs(struct camera *camera, enum point point, const struct request *request) {
  if (camera->unplug.point != point) return false;
  if (request != NULL) usbip_answer(camera->cable, request, -EPROTO, NULL, 0);
  camera_unplug(camera);
  return true;
}
