// Watches the MJPEG stream of ustreamer as several browsers would, and prints the figures of ../load_client without the
// latency. Frames that are not the camera's ("no signal") do not count. Until the server listens, the viewer connects
// again every 5 ms, since only trying shows that the server listens. It tries no more often, because trying takes
// processor time from the starting server. See launch_theirs in first_frame.py.
//
// Usage: http_viewer PORT VIEWERS WARM_UP_SECONDS SECONDS
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MAX_VIEWERS 64

typedef struct Viewer {
  int fd;
  char line[512];
  size_t line_length;
  // The length of the part whose headers the viewer reads.
  size_t length;
  bool online;
  // The bytes of the picture that the viewer has not read yet.
  size_t left;
  size_t frames, bytes;
  uint64_t first_at;
} Viewer;

static uint64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void die(const char *what) {
  perror(what);
  exit(1);
}

static int open_stream(uint16_t port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  while (true) {
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0) die("socket");
    if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0) {
      static const char request[] = "GET /stream?extra_headers=1 HTTP/1.0\r\n\r\n";
      if (write(fd, request, sizeof request - 1) != (ssize_t)sizeof request - 1) die("write");
      return fd;
    }
    if (errno != ECONNREFUSED) die("connect");
    close(fd);
    usleep(5000);
  }
}

static void header(Viewer *viewer, bool measuring) {
  char *line = viewer->line;
  line[viewer->line_length] = 0;
  if (strncasecmp(line, "Content-Length: ", 16) == 0) viewer->length = strtoul(line + 16, NULL, 10);
  if (strcasecmp(line, "X-UStreamer-Online: true") == 0) viewer->online = true;
  if (viewer->line_length == 0 && viewer->length > 0) {
    viewer->left = viewer->length;
    if (viewer->online && measuring) viewer->bytes += viewer->length;
    viewer->length = 0;
  }
  viewer->line_length = 0;
}

static void take(Viewer *viewer, const char *bytes, size_t count, bool measuring) {
  while (count > 0) {
    if (viewer->left > 0) {
      const size_t taken = viewer->left < count ? viewer->left : count;
      bytes += taken, count -= taken, viewer->left -= taken;
      if (viewer->left == 0) {
        if (viewer->online && viewer->first_at == 0) viewer->first_at = now();
        if (viewer->online && measuring) viewer->frames++;
        viewer->online = false;
      }
      continue;
    }
    if (*bytes == '\n') {
      header(viewer, measuring);
    } else if (*bytes != '\r' && viewer->line_length + 1 < sizeof viewer->line) {
      viewer->line[viewer->line_length++] = *bytes;
    }
    bytes++, count--;
  }
}

// Reads until the time `until`. With `until` 0, reads until every viewer has had a frame.
static void watch(Viewer *viewers, size_t count, uint64_t until, bool measuring) {
  static char bytes[1 << 18];
  struct pollfd ready[MAX_VIEWERS];
  while (true) {
    size_t waiting = 0;
    for (size_t i = 0; i < count; i++) {
      ready[i] = (struct pollfd){.fd = viewers[i].fd, .events = POLLIN};
      waiting += viewers[i].first_at == 0;
    }
    const uint64_t time = now();
    if (until == 0 ? waiting == 0 : time >= until) return;
    if (poll(ready, count, until == 0 ? 1000 : (int)((until - time) / 1000000 + 1)) < 0) die("poll");
    for (size_t i = 0; i < count; i++) {
      if (ready[i].revents == 0) continue;
      const ssize_t got = read(viewers[i].fd, bytes, sizeof bytes);
      if (got <= 0) die("a stream ended");
      take(&viewers[i], bytes, (size_t)got, measuring);
    }
  }
}

int main(int argc, char **argv) {
  const size_t count = argc == 5 ? strtoul(argv[2], NULL, 10) : 0;
  if (count == 0 || count > MAX_VIEWERS) {
    fprintf(stderr, "usage: http_viewer PORT VIEWERS WARM_UP_SECONDS SECONDS\n");
    return 2;
  }
  Viewer viewers[MAX_VIEWERS] = {0};
  for (size_t i = 0; i < count; i++) viewers[i].fd = open_stream((uint16_t)atoi(argv[1]));
  watch(viewers, count, 0, false);
  uint64_t first_at = 0;
  for (size_t i = 0; i < count; i++) {
    if (viewers[i].first_at > first_at) first_at = viewers[i].first_at;
  }
  printf("first %llu\n", (unsigned long long)first_at);
  fflush(stdout);
  watch(viewers, count, now() + (uint64_t)(atof(argv[3]) * 1e9), false);
  printf("measuring\n");
  fflush(stdout);
  watch(viewers, count, now() + (uint64_t)(atof(argv[4]) * 1e9), true);
  size_t frames = 0, bytes = 0, fewest = SIZE_MAX;
  for (size_t i = 0; i < count; i++) {
    frames += viewers[i].frames, bytes += viewers[i].bytes;
    if (viewers[i].frames < fewest) fewest = viewers[i].frames;
  }
  printf("{\"frames\": %zu, \"fewest\": %zu, \"payload\": %.0f}\n", frames, fewest,
         frames == 0 ? 0.0 : (double)bytes / (double)frames);
  return 0;
}
