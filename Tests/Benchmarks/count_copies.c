// Counts the bytes of large blocks that a process copies inside its memory. Build this file as a shared library,
// preload it, and name a file of at least sixteen bytes in COPY_COUNT. The library maps the file, which then holds the
// bytes and the number of the copies. Reading the file does not disturb the process.
//
// The library sees calls of memcpy, memmove and mempcpy, also the checked ones, of at least LEAST bytes: a header or a
// name is smaller, a picture or a row of a picture is not. It does not see copies by the kernel, loops that the
// compiler did not turn into a call, and copies inside libyuv and libjpeg. count_codec_calls.c counts the calls of
// those two.

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

// Copies byte by byte before map_count has run: constructors of other libraries may run earlier, and dlsym itself may
// copy.
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

// The C library checks the size of the target in these functions, so the replacements check it too.
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
