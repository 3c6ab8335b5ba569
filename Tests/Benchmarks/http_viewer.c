// Watches an MJPEG stream of ustreamer or of Firstlight on this machine as several browsers would, and prints the
// figures of ../load_client. Frames of ustreamer that are not the camera's ("no signal") do not count. Until the server
// listens, the viewer connects again every 5 ms, since only trying shows that the server listens. It tries no more
// often, because trying takes processor time from the starting server. See launch_theirs in first_frame.py.
//
// Usage: http_viewer PORT PATH VIEWERS WARM_UP_SECONDS SECONDS
//
// PATH is /stream?extra_headers=1 of ustreamer, and /stream.mjpg of Firstlight. The quantiles are of the frames that
// arrived, by the capture times in their headers. "gap_ms" is the longest time for which a viewer got no frame.
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

#define MAX_VIEWERS 256

typedef struct Viewer {
  int fd;
  char line[512];
  size_t line_length;
  // What the headers of the part say that the viewer reads: its length, whether it is no frame of the camera, and the
  // capture time in seconds of CLOCK_MONOTONIC_RAW and of CLOCK_REALTIME, or 0.
  size_t length;
  bool offline;
  double grabbed, captured;
  // The bytes of the picture that the viewer has not read yet.
  size_t left;
  size_t frames, bytes;
  uint64_t first_at, last_at;
} Viewer;

// The measurements of all viewers together: the age of each frame on arrival in milliseconds, and the longest gap.
static double *ages;
static size_t age_count, age_room;
static uint64_t longest_gap;

static uint64_t read_clock(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static uint64_t now(void) {
  return read_clock(CLOCK_MONOTONIC);
}

static void die(const char *what) {
  perror(what);
  exit(1);
}

static int open_stream(uint16_t port, const char *path) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  while (true) {
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0) die("socket");
    if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0) {
      if (dprintf(fd, "GET %s HTTP/1.0\r\nHost: 127.0.0.1:%u\r\n\r\n", path, port) < 0) die("write");
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
  if (strcasecmp(line, "X-UStreamer-Online: false") == 0) viewer->offline = true;
  // ustreamer's X-Timestamp is the time of sending, so its time of grabbing goes first.
  if (strncasecmp(line, "X-UStreamer-Grab-Time: ", 23) == 0) viewer->grabbed = strtod(line + 23, NULL);
  if (strncasecmp(line, "X-Timestamp: ", 13) == 0) viewer->captured = strtod(line + 13, NULL);
  if (viewer->line_length == 0 && viewer->length > 0) {
    viewer->left = viewer->length;
    if (!viewer->offline && measuring) viewer->bytes += viewer->length;
    viewer->length = 0;
  }
  viewer->line_length = 0;
}

// Notes the arrival of a frame.
static void arrive(Viewer *viewer, bool measuring) {
  const uint64_t time = now();
  if (viewer->first_at == 0) viewer->first_at = time;
  if (measuring) {
    viewer->frames++;
    if (time - viewer->last_at > longest_gap) longest_gap = time - viewer->last_at;
    if (age_count == age_room) ages = realloc(ages, (age_room = 2 * age_room + 4096) * sizeof *ages);
    if (ages == NULL) die("realloc");
    const double age = viewer->grabbed > 0 ? (double)read_clock(CLOCK_MONOTONIC_RAW) / 1e9 - viewer->grabbed
                                           : (double)read_clock(CLOCK_REALTIME) / 1e9 - viewer->captured;
    ages[age_count++] = age * 1000;
  }
  viewer->last_at = time;
}

static void take(Viewer *viewer, const char *bytes, size_t count, bool measuring) {
  while (count > 0) {
    if (viewer->left > 0) {
      const size_t taken = viewer->left < count ? viewer->left : count;
      bytes += taken, count -= taken, viewer->left -= taken;
      if (viewer->left == 0) {
        if (!viewer->offline) arrive(viewer, measuring);
        viewer->offline = false;
        viewer->grabbed = viewer->captured = 0;
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

static int compare(const void *one, const void *other) {
  const double a = *(const double *)one, b = *(const double *)other;
  return (a > b) - (a < b);
}

// The age that a share of the frames did not exceed.
static double quantile(double share) {
  const size_t rank = (size_t)((double)age_count * share);
  return age_count == 0 ? 0 : ages[rank < age_count ? rank : age_count - 1];
}

int main(int argc, char **argv) {
  const size_t count = argc == 6 ? strtoul(argv[3], NULL, 10) : 0;
  if (count == 0 || count > MAX_VIEWERS) {
    fprintf(stderr, "usage: http_viewer PORT PATH VIEWERS WARM_UP_SECONDS SECONDS\n");
    return 2;
  }
  Viewer viewers[MAX_VIEWERS] = {0};
  for (size_t i = 0; i < count; i++) viewers[i].fd = open_stream((uint16_t)atoi(argv[1]), argv[2]);
  watch(viewers, count, 0, false);
  uint64_t first_at = 0;
  for (size_t i = 0; i < count; i++) {
    if (viewers[i].first_at > first_at) first_at = viewers[i].first_at;
  }
  printf("first %llu\n", (unsigned long long)first_at);
  fflush(stdout);
  watch(viewers, count, now() + (uint64_t)(atof(argv[4]) * 1e9), false);
  printf("measuring\n");
  fflush(stdout);
  watch(viewers, count, now() + (uint64_t)(atof(argv[5]) * 1e9), true);
  size_t frames = 0, bytes = 0, fewest = SIZE_MAX;
  for (size_t i = 0; i < count; i++) {
    frames += viewers[i].frames, bytes += viewers[i].bytes;
    if (viewers[i].frames < fewest) fewest = viewers[i].frames;
    if (now() - viewers[i].last_at > longest_gap) longest_gap = now() - viewers[i].last_at;
  }
  qsort(ages, age_count, sizeof *ages, compare);
  printf("{\"frames\": %zu, \"fewest\": %zu, \"payload\": %.0f, ", frames, fewest,
         frames == 0 ? 0.0 : (double)bytes / (double)frames);
  printf("\"p50_ms\": %.3f, \"p99_ms\": %.3f, \"gap_ms\": %.1f}\n", quantile(0.5), quantile(0.99),
         (double)longest_gap / 1e6);
  return 0;
}
