#pragma once

#include <pthread.h>
#include <signal.h>

#include <thread>

namespace cgrpc {

/// Starts a thread that blocks all signals, because the process handles signals on threads of its choice. `name` has at
/// most 15 characters.
template <class Body>
std::thread start_thread(const char *name, Body body) {
  sigset_t all, previous;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &previous);
  std::thread thread;
  try {
    thread = std::thread([name, body] {
      pthread_setname_np(pthread_self(), name);
      body();
    });
  } catch (...) {
    pthread_sigmask(SIG_SETMASK, &previous, nullptr);
    throw;
  }
  pthread_sigmask(SIG_SETMASK, &previous, nullptr);
  return thread;
}

}  // namespace cgrpc
