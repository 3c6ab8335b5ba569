// Counts the locks that the calling thread holds, for the Swift module Locking, and keeps the thread's list of work.
// Plain thread-local state: nothing here blocks.
#ifndef CLOCKING_H
#define CLOCKING_H

#include <stdbool.h>

struct CLocking_thread {
  // How many locks of Locking the thread holds.
  unsigned held;
  // Whether the list has work, which the thread runs once it holds no lock.
  bool has_work;
  // The list of the thread's work, an object of Swift. The thread owns one reference to the list and releases it when
  // the thread ends. Null until the thread puts off work for the first time.
  void *list;
};

// The state of the calling thread. No other thread may touch it.
extern _Thread_local struct CLocking_thread CLocking_this_thread;

// Notes that the calling thread is about to take a lock.
static inline void CLocking_enter(void) {
  ++CLocking_this_thread.held;
}

// Notes that the calling thread has released a lock. Returns whether it has to run its work now.
static inline bool CLocking_leave(void) {
  return --CLocking_this_thread.held == 0 && CLocking_this_thread.has_work;
}

// Returns whether the calling thread holds a lock.
static inline bool CLocking_is_held(void) {
  return CLocking_this_thread.held > 0;
}

// Notes whether the list of the calling thread has work.
static inline void CLocking_set_has_work(bool has_work) {
  CLocking_this_thread.has_work = has_work;
}

// The list of the calling thread, or null. The thread keeps its reference: the caller must not release it.
static inline void *CLocking_list(void) {
  return CLocking_this_thread.list;
}

// Gives the calling thread a list, and hands over a reference to it. The thread must have none.
void CLocking_set_list(void *list);

#endif
