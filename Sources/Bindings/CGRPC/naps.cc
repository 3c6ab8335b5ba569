// Keeps the threads that run gRPC's callbacks awake.
//
// gRPC++ 1.51 runs all callbacks of a process on two threads named `nexting_thread`, on machines with up to five
// processors. A thread that had nothing to do for a second calls `gpr_sleep_until`, to sleep for 100 ms, and looks for
// work again after that. While both sleep, nobody reads from the sockets: on an idle server, some calls wait for up to
// 100 ms. While one sleeps, the other is alone. gRPC has no setting for this. It calls the function through the
// dynamic linker, which takes the definition below, in the program, before the one in libgpr.so.
#include <sys/prctl.h>
#include <time.h>

#include <cerrno>
#include <cstring>

#include <grpc/support/time.h>

namespace {

/// Returns whether gRPC runs callbacks on the calling thread.
bool runs_callbacks() {
  char name[16] = {};
  return prctl(PR_GET_NAME, name) == 0 && strcmp(name, "nexting_thread") == 0;
}

}  // namespace

/// Sleeps until `until`, as gRPC's own function does. Returns at once on a thread that runs callbacks. Such a thread
/// then waits for work, again for at most a second.
extern "C" void gpr_sleep_until(gpr_timespec until) {
  if (runs_callbacks()) return;
  const gpr_timespec end = gpr_convert_clock_type(until, GPR_CLOCK_MONOTONIC);
  const timespec time = {end.tv_sec, end.tv_nsec};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr) == EINTR) {
  }
}
