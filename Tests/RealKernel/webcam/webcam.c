// A USB webcam in user space. To the kernel the webcam is a device on a USB 2.0 bus, which vhci-hcd (USB/IP) connects
// by a socket pair and uvcvideo drives. Descriptors, controls, streaming and unplugging are those of the real driver.
//
// Usage: webcam PORT NUMBER SERIAL PRODUCT DEFAULT_INTERVAL WIDTH HEIGHT [CLIP]
//
// PORT is one of the eight ports of vhci_hcd.0. NUMBER is the camera number on the timecode board. SERIAL may be empty.
// DEFAULT_INTERVAL is in units of 100 ns. WIDTH and HEIGHT are a size that the camera lists without honouring it (0 0
// for none). CLIP is a file with the pictures that the camera sends as H264 (clip.h). The program obeys lines of its
// standard input (commands.c), answers each with one line, and ends with its input. Tests use it by
// Tests/RealKernel/webcam.py.
#define _GNU_SOURCE
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "camera.h"
#include "clip.h"

static struct camera camera;

static void read_cable(void) {
  static struct request request;
  uint32_t cancellation = 0;
  switch (usbip_read(camera.cable, &request, &cancellation)) {
    case EVENT_GONE:
      camera_unplug(&camera);
      break;
    case EVENT_CANCEL:
      usbip_cancelled(camera.cable, cancellation, camera_give_up(&camera, request.id));
      break;
    case EVENT_REQUEST:
      if (request.endpoint == 0)
        camera_request(&camera, &request);
      else if (camera.stream.waiting_count < WAITING)
        camera.stream.waiting[camera.stream.waiting_count++] = request;
      break;
  }
}

// The nanoseconds until the next picture or late answer is due, or UINT64_MAX for never.
static uint64_t patience(uint64_t now) {
  uint64_t due = stream_due(&camera);
  for (unsigned index = 0; index < camera.late_count; index++)
    if (camera.late[index].due_ns < due) due = camera.late[index].due_ns;
  return due == UINT64_MAX ? due : due > now ? due - now : 0;
}

// Reads the available input and obeys all its whole lines. Returns false at the end of the input.
static bool read_commands(void) {
  static char input[4096];
  static size_t length;
  const ssize_t count = read(STDIN_FILENO, input + length, sizeof input - length);
  if (count <= 0) return false;
  length += count;
  char *end;
  while ((end = memchr(input, '\n', length)) != NULL) {
    *end = 0;
    camera_command(&camera, input);
    const size_t line = end + 1 - input;
    memmove(input, input + line, length -= line);
  }
  return true;
}

int main(int count, char **words) {
  const bool has_video = count == 9;
  if ((count != 8 && !has_video) || (has_video && !clip_read(words[8]))) {
    fprintf(stderr, "usage: %s PORT NUMBER SERIAL PRODUCT DEFAULT_INTERVAL WIDTH HEIGHT [CLIP]\n", words[0]);
    return 2;
  }
  camera.port = atoi(words[1]);
  camera.number = atoi(words[2]);
  camera.identity = (struct identity){
      .serial = words[3], .product = words[4], .default_interval = atoi(words[5]), .has_video = has_video};
  camera.dishonoured = (struct size){atoi(words[6]), atoi(words[7])};
  camera.cable = -1;
  camera.controls.light = 1;
  for (;;) {
    struct pollfd files[] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.fd = camera.cable, .events = POLLIN}};
    const uint64_t wait = patience(now_ns());
    const struct timespec time = {.tv_sec = wait / 1000000000, .tv_nsec = wait % 1000000000};
    if (ppoll(files, 2, wait == UINT64_MAX ? NULL : &time, NULL) < 0) return 1;
    if (files[1].revents != 0) read_cable();
    if (files[0].revents != 0 && !read_commands()) return 0;
    if (camera.cable < 0) continue;
    const uint64_t now = now_ns();
    camera_answer_late(&camera, now);
    stream_send(&camera, now);
  }
}
