// Counts the calls of malloc and the started threads of a process. Build this file as a shared library, preload it, and
// name a file of at least sixteen bytes in ALLOCATION_COUNT. The library maps the file, which then holds the two
// counts. Reading the file does not disturb the process.
//
// With ALLOCATION_THREADS only threads count whose names begin with this text. A thread that they start has the same
// name at first.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

// glibc's own names of the functions that this file replaces. With them no dlsym is needed, which allocates.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

typedef struct counts {
  uint64_t allocations;
  uint64_t threads;
} counts;

static counts before_main;
static counts *count = &before_main;
static const char *threads;

__attribute__((constructor)) static void map_count(void) {
  threads = getenv("ALLOCATION_THREADS");
  const char *path = getenv("ALLOCATION_COUNT");
  const int file = path == NULL ? -1 : open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return;
  void *mapped = mmap(NULL, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (mapped != MAP_FAILED) count = mapped;
}

static int counts_here(void) {
  char name[16];
  return threads == NULL || (prctl(PR_GET_NAME, name) == 0 && strncmp(name, threads, strlen(threads)) == 0);
}

static void add(void) {
  if (!counts_here()) return;
  __atomic_fetch_add(&count->allocations, 1, __ATOMIC_RELAXED);
}

void *malloc(size_t size) {
  add();
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  add();
  return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size) {
  add();
  return __libc_realloc(memory, size);
}

void *memalign(size_t alignment, size_t size) {
  add();
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  return memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
  void *taken = memalign(alignment, size);
  if (taken == NULL) return ENOMEM;
  *memory = taken;
  return 0;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument) {
  static int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
  if (next == NULL) *(void **)&next = dlsym(RTLD_NEXT, "pthread_create");
  if (counts_here()) __atomic_fetch_add(&count->threads, 1, __ATOMIC_RELAXED);
  return next(thread, attributes, start, argument);
}
