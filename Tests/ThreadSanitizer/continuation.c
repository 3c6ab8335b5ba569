// Tells ThreadSanitizer about continuations that are resumed before their task waits. The Swift 6.3 runtime says
// "release" whenever a continuation is resumed, but "acquire" only where the task then starts as a job; a task that
// finds its continuation resumed already goes straight on, so that what it was handed looks like a race. Preloaded by
// the sanitizer's step; changes nothing else. edges.swift shows both, with and without optimisation.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

// From the sanitizer's runtime; null in processes that have none.
extern void __tsan_acquire(void *address) __attribute__((weak));
// From Swift's; the address that it calls "release" for.
extern void *swift_task_getCurrent(void) __attribute__((weak));

// The beginning of ContinuationAsyncContext (swift/ABI/Task.h).
struct continuation {
  void *parent;
  __attribute__((swiftasynccall)) void (*resume)(__attribute__((swift_async_context)) struct continuation *);
  // Four bits are in use.
  uint64_t flags;
};
enum { FLAG_BITS = 16 };

typedef
    __attribute__((swiftasynccall)) void (*resume_function)(__attribute__((swift_async_context)) struct continuation *);
typedef __attribute__((swiftasynccall)) void (*await_function)(struct continuation *);

// In place of the code after the await, however the task comes there: whether it was early shows only inside the
// runtime.
static __attribute__((swiftasynccall)) void resumed(__attribute__((swift_async_context)) struct continuation *context) {
  resume_function resume = (resume_function)(uintptr_t)(context->flags >> FLAG_BITS);
  context->flags &= (1 << FLAG_BITS) - 1;
  context->resume = resume;
  if (__tsan_acquire) __tsan_acquire(swift_task_getCurrent());
  __attribute__((musttail)) return resume(context);
}

// The code after the await is kept in the upper bits of the flags, where it costs no lock that would be an edge by
// itself.
__attribute__((swiftasynccall, visibility("default"))) void swift_continuation_await(struct continuation *context) {
  await_function await = (await_function)dlsym(RTLD_NEXT, "swift_continuation_await");
  context->flags |= (uint64_t)(uintptr_t)context->resume << FLAG_BITS;
  context->resume = resumed;
  __attribute__((musttail)) return await(context);
}

// Without optimisation the wait lies within the runtime's own withCheckedContinuation, whose calls cannot be replaced.
// The first thing that its caller does afterwards is to give back the memory of that call. Nothing comes between
// resuming and waiting that does the same: the closure in between is synchronous.
__attribute__((swiftcall, visibility("default"))) void swift_task_dealloc(void *memory) {
  if (__tsan_acquire) __tsan_acquire(swift_task_getCurrent());
  typedef __attribute__((swiftcall)) void (*dealloc_function)(void *memory);
  ((dealloc_function)dlsym(RTLD_NEXT, "swift_task_dealloc"))(memory);
}
