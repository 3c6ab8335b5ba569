#define _GNU_SOURCE
#include "usbip.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { SUBMIT = 1, UNLINK = 2, SUBMITTED = 3, UNLINKED = 4, HIGH_SPEED = 3 };

// The header of every message. All numbers of the protocol are big-endian.
struct header {
  uint32_t command, id, device, direction, endpoint;
  union {
    struct {
      uint32_t flags, length, start_frame, packets, interval;
      uint8_t setup[8];
    } submit;
    struct {
      uint32_t status, length, start_frame, packets, errors;
      uint8_t padding[8];
    } answer;
    uint32_t unlink;
    uint8_t padding[28];
  };
};
_Static_assert(sizeof(struct header) == 48, "as on the wire");

int usbip_attach(unsigned port) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0) return -1;
  const int file = open("/sys/devices/platform/vhci_hcd.0/attach", O_WRONLY | O_CLOEXEC);
  char line[64];
  const int length = snprintf(line, sizeof line, "%u %d %u %d", port, ends[1], 0x10000 + port + 1, HIGH_SPEED);
  ssize_t written = -1;
  // The kernel sends no event when a port is free again, so this loop tries again. It takes milliseconds.
  for (int attempt = 0; file >= 0 && attempt < 2000; attempt++) {
    written = write(file, line, length);
    if (written >= 0 || errno != EBUSY) break;
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
  }
  const int error = errno;
  if (file >= 0) close(file);
  close(ends[1]);
  if (written >= 0) return ends[0];
  close(ends[0]);
  errno = error;
  return -1;
}

static bool read_all(int cable, void *bytes, size_t length) {
  return length == 0 || recv(cable, bytes, length, MSG_WAITALL) == (ssize_t)length;
}

enum event usbip_read(int cable, struct request *request, uint32_t *cancellation) {
  struct header header;
  if (!read_all(cable, &header, sizeof header)) return EVENT_GONE;
  if (ntohl(header.command) == UNLINK) {
    *cancellation = ntohl(header.id);
    request->id = ntohl(header.unlink);
    return EVENT_CANCEL;
  }
  if (ntohl(header.command) != SUBMIT) return EVENT_GONE;
  request->id = ntohl(header.id);
  request->in = header.direction != 0;
  request->endpoint = ntohl(header.endpoint);
  request->length = ntohl(header.submit.length);
  memcpy(request->setup, header.submit.setup, sizeof request->setup);
  if (request->in) return EVENT_REQUEST;
  // uvcvideo writes nothing longer than a probe control.
  if (request->length > sizeof request->data || !read_all(cable, request->data, request->length)) return EVENT_GONE;
  return EVENT_REQUEST;
}

// Errors are ignored here, because usbip_read notices a socket that the kernel has closed.
static void send_all(int cable, const struct header *header, const void *data, size_t length) {
  struct iovec parts[] = {{(void *)header, sizeof *header}, {(void *)data, length}};
  struct msghdr message = {.msg_iov = parts, .msg_iovlen = length > 0 ? 2 : 1};
  while (message.msg_iovlen > 0) {
    ssize_t sent = sendmsg(cable, &message, MSG_NOSIGNAL);
    if (sent < 0) return;
    for (; message.msg_iovlen > 0 && (size_t)sent >= message.msg_iov->iov_len; message.msg_iovlen--)
      sent -= message.msg_iov++->iov_len;
    if (message.msg_iovlen == 0) return;
    message.msg_iov->iov_base = (uint8_t *)message.msg_iov->iov_base + sent;
    message.msg_iov->iov_len -= sent;
  }
}

void usbip_answer(int cable, const struct request *request, int32_t status, const void *data, size_t length) {
  struct header header = {.command = htonl(SUBMITTED), .id = htonl(request->id)};
  header.answer.status = htonl((uint32_t)status);
  header.answer.length = htonl(length);
  send_all(cable, &header, data, request->in ? length : 0);
}

void usbip_cancelled(int cable, uint32_t cancellation, bool found) {
  struct header header = {.command = htonl(UNLINKED), .id = htonl(cancellation)};
  header.answer.status = htonl((uint32_t)(found ? -ECONNRESET : 0));
  send_all(cable, &header, NULL, 0);
}
