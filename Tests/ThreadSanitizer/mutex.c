// Tells ThreadSanitizer about Swift's Mutex. The slow path of a Mutex is in a library without instrumentation, so
// correctly locked accesses look like races as soon as two threads contend. The sanitizer's step preloads this library,
// which changes nothing else.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

// These functions are in the sanitizer's runtime. They are null in processes without the sanitizer.
extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

// Synchronization._MutexHandle._lockSlow(UInt32) and ._unlockSlow(), as the Swift 6.3 library exports them.
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

typedef __attribute__((swiftcall)) void (*lock_function)(uint32_t thread, __attribute__((swift_context)) void *handle);
typedef __attribute__((swiftcall)) void (*unlock_function)(__attribute__((swift_context)) void *handle);

__attribute__((swiftcall, visibility("default"))) void lock_slow(
    uint32_t thread, __attribute__((swift_context)) void *handle) __asm__(LOCK);
__attribute__((swiftcall, visibility("default"))) void unlock_slow(__attribute__((swift_context)) void *handle) __asm__(
    UNLOCK);

__attribute__((swiftcall)) void lock_slow(uint32_t thread, __attribute__((swift_context)) void *handle) {
  ((lock_function)dlsym(RTLD_NEXT, LOCK))(thread, handle);
  if (__tsan_acquire) __tsan_acquire(handle);
}

__attribute__((swiftcall)) void unlock_slow(__attribute__((swift_context)) void *handle) {
  if (__tsan_release) __tsan_release(handle);
  ((unlock_function)dlsym(RTLD_NEXT, UNLOCK))(handle);
}
