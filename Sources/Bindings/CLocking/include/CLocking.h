// Counts the locks that the calling thread holds, for the Swift module Locking. Plain thread-local state: nothing here
// allocates, blocks or owns memory.
#ifndef CLOCKING_H
#define CLOCKING_H

#include <stdbool.h>

struct CLocking_thread {
  // How many locks of Locking the thread holds.
  unsigned held;
  // The thread runs this work once it holds no lock. Locking has retained the object, and releases it when the work
  // runs. Null when there is no work.
  void *work;
};

// The state of the calling thread. No other thread may touch it.
extern _Thread_local struct CLocking_thread CLocking_this_thread;

// Notes that the calling thread is about to take a lock.
static inline void CLocking_enter(void) {
  ++CLocking_this_thread.held;
}

// Notes that the calling thread has released a lock. Returns whether it has to run its work now.
static inline bool CLocking_leave(void) {
  return --CLocking_this_thread.held == 0 && CLocking_this_thread.work;
}

// Returns whether the calling thread holds a lock.
static inline bool CLocking_is_held(void) {
  return CLocking_this_thread.held > 0;
}

// The work of the calling thread; the caller must not release it.
static inline void *CLocking_work(void) {
  return CLocking_this_thread.work;
}

// Replaces the work of the calling thread. The caller takes over what was there, and hands over a reference to `work`.
static inline void CLocking_set_work(void *work) {
  CLocking_this_thread.work = work;
}

#endif
