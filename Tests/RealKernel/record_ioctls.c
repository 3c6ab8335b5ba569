// Records which ioctls a process asks the kernel for. Build this file as a shared library, preload it, and name a file
// of 1 MiB in IOCTL_RECORD. The library maps the file. The file holds a 64-bit count, then the 32-bit requests in their
// order, as many as fit. Reading the file does not disturb the process. (strace would stop the process at each call,
// which takes a minute on an emulated machine.)

#define _GNU_SOURCE
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SIZE = 1 << 20, MOST = SIZE / 4 - 2 };

static struct record {
  uint64_t count;
  uint32_t requests[MOST];
} * record;

__attribute__((constructor)) static void map_record(void) {
  const char *path = getenv("IOCTL_RECORD");
  const int file = path == NULL ? -1 : open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return;
  void *mapped = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (mapped != MAP_FAILED) record = mapped;
}

int ioctl(int file, unsigned long request, ...) {
  va_list arguments;
  va_start(arguments, request);
  void *argument = va_arg(arguments, void *);
  va_end(arguments);
  if (record != NULL) {
    const uint64_t place = __atomic_fetch_add(&record->count, 1, __ATOMIC_RELAXED);
    if (place < MOST) record->requests[place] = (uint32_t)request;
  }
  // syscall() sets errno as ioctl() does.
  return (int)syscall(SYS_ioctl, file, request, argument);
}
