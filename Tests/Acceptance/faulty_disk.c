// Makes the disk below one folder fail or stand still, for the process that loads this library before others.
//
// FAULTY_DISK is the folder, with a slash at its end. FAULTY_DISK_STATE is a file of a page that tests change at any
// time: the error number of calls that write or synchronise a file below the folder, that of calls that make one (with
// EROFS also of those that remove one), whether calls that write or synchronise wait until this is 0, the error number
// of calls that only synchronise, the error number of calls that write or synchronise the copy of a movie, whether
// such calls wait until this is 0, how many MiB of the file system are free, and how many hundredths of it. All are
// int32_t, and 0 means a sound disk.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

typedef struct {
  _Atomic int32_t writing;
  _Atomic int32_t making;
  _Atomic int32_t stands;
  _Atomic int32_t syncing;
  _Atomic int32_t copying;
  _Atomic int32_t copies_stand;
  _Atomic int32_t free_mebibytes;
  _Atomic int32_t free_percent;
} disk;

static disk *state;
static const char *folder;

__attribute__((constructor)) static void begin(void) {
  folder = getenv("FAULTY_DISK");
  const int file = open(getenv("FAULTY_DISK_STATE"), O_RDWR | O_CLOEXEC);
  void *const page = mmap(NULL, sizeof(disk), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (page == MAP_FAILED) abort();
  state = page;
  close(file);
}

// Finds the path of a file below the folder, with a slash at its end. Returns 0 for another file.
static int find(int descriptor, char path[PATH_MAX]) {
  char link[40];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  const ssize_t length = readlink(link, path, PATH_MAX - 2);
  if (length < 0) return 0;
  path[length] = '/';
  path[length + 1] = 0;
  return !strncmp(path, folder, strlen(folder));
}

static int is_below(int descriptor) {
  char path[PATH_MAX];
  return find(descriptor, path);
}

// Waits while the disk stands still. Returns -1, and sets errno, when it fails.
static int check_writing(int descriptor) {
  char path[PATH_MAX];
  if (!state || !find(descriptor, path)) return 0;
  const int is_copy = strstr(path, ".movie.new/") != NULL;
  while (state->stands || (is_copy && state->copies_stand)) usleep(10000);
  errno = state->writing ? state->writing : is_copy ? state->copying : 0;
  return errno ? -1 : 0;
}

static int check_syncing(int descriptor) {
  if (check_writing(descriptor)) return -1;
  if (!state || !state->syncing || !is_below(descriptor)) return 0;
  errno = state->syncing;
  return -1;
}

static int check_making(int parent, const char *path, int flags) {
  if (!state || !state->making || !(flags & O_CREAT)) return 0;
  if (path[0] == '/' ? strncmp(path, folder, strlen(folder)) != 0 : !is_below(parent)) return 0;
  errno = state->making;
  return -1;
}

static int check_removing(int parent) {
  if (!state || state->making != EROFS || !is_below(parent)) return 0;
  errno = EROFS;
  return -1;
}

#define ORIGINAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int descriptor, const void *bytes, size_t count) {
  return check_writing(descriptor) ? -1 : ORIGINAL(write)(descriptor, bytes, count);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
  return check_writing(descriptor) ? -1 : ORIGINAL(pwrite)(descriptor, bytes, count, offset);
}

int unlinkat(int parent, const char *path, int flags) {
  return check_removing(parent) ? -1 : ORIGINAL(unlinkat)(parent, path, flags);
}

int fsync(int descriptor) {
  return check_syncing(descriptor) ? -1 : ORIGINAL(fsync)(descriptor);
}

int fdatasync(int descriptor) {
  return check_syncing(descriptor) ? -1 : ORIGINAL(fdatasync)(descriptor);
}

#define OPEN(name)                                      \
  int name(const char *path, int flags, ...) {          \
    va_list rest;                                       \
    va_start(rest, flags);                              \
    const unsigned mode = va_arg(rest, unsigned);       \
    va_end(rest);                                       \
    if (check_making(AT_FDCWD, path, flags)) return -1; \
    return ORIGINAL(name)(path, flags, mode);           \
  }
#define OPENAT(name)                                       \
  int name(int parent, const char *path, int flags, ...) { \
    va_list rest;                                          \
    va_start(rest, flags);                                 \
    const unsigned mode = va_arg(rest, unsigned);          \
    va_end(rest);                                          \
    if (check_making(parent, path, flags)) return -1;      \
    return ORIGINAL(name)(parent, path, flags, mode);      \
  }

OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

// The C library has both names on 64-bit machines.
#define STATVFS(name, type)                                                                                 \
  int name(int descriptor, struct type *facts) {                                                            \
    const int result = ORIGINAL(name)(descriptor, facts);                                                   \
    if (result || !state || !is_below(descriptor)) return result;                                           \
    if (state->free_mebibytes) facts->f_bavail = ((uint64_t)state->free_mebibytes << 20) / facts->f_frsize; \
    if (state->free_percent) facts->f_bavail = facts->f_blocks / 100 * (unsigned)state->free_percent;       \
    return 0;                                                                                               \
  }

STATVFS(fstatvfs, statvfs)
STATVFS(fstatvfs64, statvfs64)
