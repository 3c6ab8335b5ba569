#define _GNU_SOURCE
#include "CLocking.h"

_Thread_local struct CLocking_thread CLocking_this_thread;

// In debug builds, and so in all Swift tests, a thread that wakes a Swift task while it holds a lock ends the process.
// Swift's runtime holds a lock of the task while it wakes it, and holds the same lock while it runs the task's
// cancellation handlers. A handler that wants our lock and a thread that wakes the task under our lock would wait for
// each other for ever.
#ifdef DEBUG
#include <dlfcn.h>
#include <execinfo.h>
#include <stdio.h>
#include <stdlib.h>
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
