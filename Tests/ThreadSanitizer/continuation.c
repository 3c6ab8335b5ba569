// Tells ThreadSanitizer about continuations that are resumed before their task waits. The Swift 6.3 runtime says
// "release" whenever a continuation is resumed. It says "acquire" only where the task then starts as a job. A task that
// finds its continuation already resumed goes straight on, so the value that it gets looks like a race. The sanitizer's
// step preloads this library, which changes nothing else. edges.swift shows both cases, with and without optimisation.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

// This function is in the sanitizer's runtime. It is null in processes without the sanitizer.
extern void __tsan_acquire(void *address) __attribute__((weak));
// This function is in Swift's runtime. Its result is the address for which the runtime says "release".
extern void *swift_task_getCurrent(void) __attribute__((weak));

// The beginning of ContinuationAsyncContext (swift/ABI/Task.h).
struct continuation {
  void *parent;
  __attribute__((swiftasynccall)) void (*resume)(__attribute__((swift_async_context)) struct continuation *);
  // The runtime uses four bits.
  uint64_t flags;
};
enum { FLAG_BITS = 16 };

typedef
    __attribute__((swiftasynccall)) void (*resume_function)(__attribute__((swift_async_context)) struct continuation *);
typedef __attribute__((swiftasynccall)) void (*await_function)(struct continuation *);

// Runs in place of the code after the await, on each way of the task to that code. Only the runtime knows whether the
// continuation was resumed early.
static __attribute__((swiftasynccall)) void resumed(__attribute__((swift_async_context)) struct continuation *context) {
  resume_function resume = (resume_function)(uintptr_t)(context->flags >> FLAG_BITS);
  context->flags &= (1 << FLAG_BITS) - 1;
  context->resume = resume;
  if (__tsan_acquire) __tsan_acquire(swift_task_getCurrent());
  __attribute__((musttail)) return resume(context);
}

// Keeps the code after the await in the upper bits of the flags. A lock would be an edge by itself.
__attribute__((swiftasynccall, visibility("default"))) void swift_continuation_await(struct continuation *context) {
  await_function await = (await_function)dlsym(RTLD_NEXT, "swift_continuation_await");
  context->flags |= (uint64_t)(uintptr_t)context->resume << FLAG_BITS;
  context->resume = resumed;
  __attribute__((musttail)) return await(context);
}

// Without optimisation the wait is inside the runtime's own withCheckedContinuation, whose calls cannot be replaced.
// Afterwards the caller first gives back the memory of that call, with this function. Between resuming and waiting
// nothing calls this function, because the closure in between is synchronous.
__attribute__((swiftcall, visibility("default"))) void swift_task_dealloc(void *memory) {
  if (__tsan_acquire) __tsan_acquire(swift_task_getCurrent());
  typedef __attribute__((swiftcall)) void (*dealloc_function)(void *memory);
  ((dealloc_function)dlsym(RTLD_NEXT, "swift_task_dealloc"))(memory);
}
