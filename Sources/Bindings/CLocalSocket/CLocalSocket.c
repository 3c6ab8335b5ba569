#define _GNU_SOURCE
#include "CLocalSocket.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static void remove_stale_socket(const char *path, const struct sockaddr_un *address) {
  struct stat status;
  if (lstat(path, &status) != 0 || !S_ISSOCK(status.st_mode)) return;
  const int probe = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (probe < 0) return;
  const int refused = connect(probe, (const struct sockaddr *)address, sizeof *address) != 0 && errno == ECONNREFUSED;
  close(probe);
  if (refused) unlink(path);
}

int CLocalSocket_listen(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) return -ENAMETOOLONG;
  strcpy(address.sun_path, path);
  remove_stale_socket(path, &address);
  const int descriptor = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return -errno;
  // fchmod comes before bind, because bind gives the socket file the mode of the socket. At no moment can another user
  // connect.
  if (fchmod(descriptor, 0600) != 0 || bind(descriptor, (const struct sockaddr *)&address, sizeof address) != 0 ||
      listen(descriptor, 16) != 0) {
    const int error = errno;
    close(descriptor);
    return -error;
  }
  return descriptor;
}

int CLocalSocket_accept(int listener, CLocalSocket_peer *peer) {
  int descriptor;
  do descriptor = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
  while (descriptor < 0 && (errno == EINTR || errno == ECONNABORTED));
  if (descriptor < 0) return -errno;
  struct ucred credentials;
  socklen_t length = sizeof credentials;
  if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0) {
    const int error = errno;
    close(descriptor);
    return -error;
  }
  *peer = (CLocalSocket_peer){.process = credentials.pid, .user = credentials.uid, .group = credentials.gid};
  return descriptor;
}

ssize_t CLocalSocket_receive(int descriptor, void *buffer, size_t capacity) {
  ssize_t count;
  do count = recv(descriptor, buffer, capacity, 0);
  while (count < 0 && errno == EINTR);
  return count < 0 ? -errno : count;
}

int CLocalSocket_send(int descriptor, const void *bytes, size_t count, int attached) {
  struct iovec part = {.iov_base = (void *)bytes, .iov_len = count};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  union {
    struct cmsghdr header;
    char space[CMSG_SPACE(sizeof(int))];
  } control;
  if (attached >= 0) {
    message.msg_control = control.space;
    message.msg_controllen = sizeof control.space;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &attached, sizeof attached);
  }
  ssize_t sent;
  do sent = sendmsg(descriptor, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent < 0 ? -errno : 0;
}

void CLocalSocket_shut_down(int descriptor) {
  shutdown(descriptor, SHUT_RDWR);
}

int CLocalSocket_create_memory(size_t size, void **base) {
  const int descriptor = memfd_create("firstlight-frame", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (descriptor < 0) return -errno;
  void *mapped = MAP_FAILED;
  // posix_fallocate takes the pages now. If the first touch of a page took it, a touch without free memory would raise
  // SIGBUS in the middle of a frame.
  int reserved;
  do reserved = posix_fallocate(descriptor, 0, (off_t)size);
  while (reserved == EINTR);
  errno = reserved;
  if (reserved == 0) {
    mapped = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  }
  // The seals come after the daemon's own writable mapping, which stays writable. The kernel refuses every later
  // writable mapping and every write(2), from any process.
  if (mapped == MAP_FAILED ||
      fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL) != 0) {
    const int error = errno;
    if (mapped != MAP_FAILED) munmap(mapped, size);
    close(descriptor);
    return -error;
  }
  *base = mapped;
  return descriptor;
}

void CLocalSocket_destroy_memory(int descriptor, void *base, size_t size) {
  munmap(base, size);
  close(descriptor);
}
