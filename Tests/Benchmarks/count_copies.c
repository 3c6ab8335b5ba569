// Counts the bytes of large blocks that a process copies from one place of its memory to another: build as a shared
// library, preload it, and name a file of sixteen bytes in COPY_COUNT. The bytes and the number of the copies lie in
// it, mapped, so that whoever looks disturbs nobody.
//
// Seen are calls of memcpy, memmove and mempcpy, also the checked ones, of at least LEAST bytes: a header or a name is
// smaller, a picture or a row of one is not. Not seen are what the kernel copies, loops that the compiler did not turn
// into a call, and what libyuv and libjpeg do inside; count_codec_calls.c counts the calls of those.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LEAST = 256 };

typedef struct counts {
  uint64_t bytes;
  uint64_t copies;
} counts;

static counts before_main;
static counts *count = &before_main;

typedef void *Copy(void *, const void *, size_t);
static Copy *next_copy, *next_move;

__attribute__((constructor)) static void map_count(void) {
  *(void **)&next_copy = dlsym(RTLD_NEXT, "memcpy");
  *(void **)&next_move = dlsym(RTLD_NEXT, "memmove");
  const char *path = getenv("COPY_COUNT");
  const int file = path == NULL ? -1 : open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return;
  void *mapped = mmap(NULL, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (mapped != MAP_FAILED) count = mapped;
}

static void add(size_t size) {
  if (size < LEAST) return;
  __atomic_fetch_add(&count->bytes, size, __ATOMIC_RELAXED);
  __atomic_fetch_add(&count->copies, 1, __ATOMIC_RELAXED);
}

// Other libraries' constructors may run before the one above, and dlsym itself may copy.
static void *copy_by_bytes(void *to, const void *from, size_t size) {
  volatile unsigned char *into = to;
  const unsigned char *bytes = from;
  if ((uintptr_t)to <= (uintptr_t)from) {
    for (size_t at = 0; at < size; at++) into[at] = bytes[at];
  } else {
    for (size_t at = size; at > 0; at--) into[at - 1] = bytes[at - 1];
  }
  return to;
}

void *memcpy(void *restrict to, const void *restrict from, size_t size) {
  add(size);
  return next_copy == NULL ? copy_by_bytes(to, from, size) : next_copy(to, from, size);
}

void *memmove(void *to, const void *from, size_t size) {
  add(size);
  return next_move == NULL ? copy_by_bytes(to, from, size) : next_move(to, from, size);
}

void *mempcpy(void *restrict to, const void *restrict from, size_t size) {
  return (char *)memcpy(to, from, size) + size;
}

// The size of the room is checked by the program's own library when nothing is preloaded, and here likewise.
void *__memcpy_chk(void *restrict to, const void *restrict from, size_t size, size_t room) {
  if (size > room) abort();
  return memcpy(to, from, size);
}

void *__memmove_chk(void *to, const void *from, size_t size, size_t room) {
  if (size > room) abort();
  return memmove(to, from, size);
}

void *__mempcpy_chk(void *restrict to, const void *restrict from, size_t size, size_t room) {
  if (size > room) abort();
  return mempcpy(to, from, size);
}
