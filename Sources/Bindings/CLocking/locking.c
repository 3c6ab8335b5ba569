#define _GNU_SOURCE
#include "CLocking.h"

#include <pthread.h>
#include <stdlib.h>

_Thread_local struct CLocking_thread CLocking_this_thread;

extern void swift_release(void *object);

// Has the list of each thread once more, so that the system calls `release_list` when the thread ends.
static pthread_key_t list_key;

static void release_list(void *list) {
  // Destructors that run later may put off work. The thread then gets another list, and the system calls this again.
  CLocking_this_thread.list = NULL;
  swift_release(list);
}

__attribute__((constructor)) static void make_key(void) {
  if (pthread_key_create(&list_key, release_list) != 0) abort();
}

void CLocking_set_list(void *list) {
  CLocking_this_thread.list = list;
  // Without memory for the key's value, this one list is never released.
  pthread_setspecific(list_key, list);
}

// In debug builds, and so in all Swift tests, a thread that wakes a Swift task while it holds a lock ends the process.
// Swift's runtime holds a lock of the task while it wakes it, and holds the same lock while it runs the task's
// cancellation handlers. A handler that wants our lock and a thread that wakes the task under our lock would wait for
// each other for ever.
#ifdef DEBUG
#include <dlfcn.h>
#include <execinfo.h>
#include <stdio.h>
#include <string.h>

typedef __attribute__((swiftcall)) void (*enqueue_function)(void *job);
// Swift's runtime calls this hook with each task that it gives to the pool.
extern __attribute__((swiftcall)) void (*swift_task_enqueueGlobal_hook)(void *job, enqueue_function original);

// Returns whether the task is a new one. No other thread knows it yet, so starting it under a lock is harmless.
static bool is_new(void *const *frames, int count) {
  for (int i = 0; i < count; i++) {
    Dl_info info;
    if (dladdr(frames[i], &info) && info.dli_sname && !strcmp(info.dli_sname, "swift_task_create_common")) return true;
  }
  return false;
}

static __attribute__((swiftcall)) void check(void *job, enqueue_function original) {
  if (CLocking_this_thread.held > 0) {
    void *frames[32];
    int count = backtrace(frames, 32);
    if (!is_new(frames, count < 6 ? count : 6)) {
      fputs("A thread woke a Swift task while it held a lock. It must release the lock first.\n", stderr);
      backtrace_symbols_fd(frames, count, 2);
      abort();
    }
  }
  original(job);
}

__attribute__((constructor)) static void install(void) {
  swift_task_enqueueGlobal_hook = check;
}
#endif
