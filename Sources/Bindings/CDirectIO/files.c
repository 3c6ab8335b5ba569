#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "CDirectIO.h"

int64_t cdirectio_file_system(int descriptor) {
  struct statfs facts;
  return fstatfs(descriptor, &facts) == 0 ? (int64_t)(uint32_t)facts.f_type : -errno;
}

int cdirectio_open(int folder, const char *name, bool makes, bool syncs) {
  const int flags = O_RDWR | O_DIRECT | O_NOFOLLOW | O_CLOEXEC;
  const int descriptor = openat(folder, name, flags | (makes ? O_CREAT | O_EXCL : 0) | (syncs ? O_DSYNC : 0), 0644);
  return descriptor >= 0 ? descriptor : -errno;
}

int cdirectio_open_unnamed(int folder) {
  const int descriptor = openat(folder, ".", O_TMPFILE | O_RDWR | O_DIRECT | O_CLOEXEC, 0600);
  return descriptor >= 0 ? descriptor : -errno;
}

int cdirectio_allocate(int descriptor, uint64_t size) {
  int result;
  do result = fallocate(descriptor, 0, 0, (off_t)size);
  while (result != 0 && errno == EINTR);
  return result == 0 ? 0 : -errno;
}

int cdirectio_clone(int from, uint64_t from_offset, int to, uint64_t to_offset, uint64_t count) {
  struct file_clone_range range = {
      .src_fd = from, .src_offset = from_offset, .src_length = count, .dest_offset = to_offset};
  return ioctl(to, FICLONERANGE, &range) == 0 ? 0 : -errno;
}

int cdirectio_rename(int folder, const char *name, const char *new_name) {
  if (renameat2(folder, name, folder, new_name, RENAME_NOREPLACE) == 0) return 0;
  // NFS, 9p and FUSE do not know the flag. A link replaces nothing either.
  if (errno != EINVAL && errno != ENOSYS) return -errno;
  if (linkat(folder, name, folder, new_name, 0) != 0) return -errno;
  return unlinkat(folder, name, 0) == 0 ? 0 : -errno;
}
