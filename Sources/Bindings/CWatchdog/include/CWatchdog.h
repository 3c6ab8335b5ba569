// The stacks of all threads of this process, and messages to the service manager.
#ifndef CWATCHDOG_H
#define CWATCHDOG_H

#include <stdbool.h>
#include <stddef.h>

// Sends a state such as "READY=1" to the service manager, as the protocol of systemd's sd_notify(3) says: one datagram
// to a Unix socket. Does not block.
// - path: the content of NOTIFY_SOCKET, borrowed until the function returns; '@' stands for the leading zero byte of an
//   abstract name.
// - state: borrowed until the function returns.
// Returns 0, or an errno.
int cwatchdog_notify(const char *_Nonnull path, const char *_Nonnull state);

// One thread, as cwatchdog_visit_stacks found it. Everything that it refers to is borrowed until `visit` returns.
typedef struct cwatchdog_stack {
  int thread_id;
  // The name that ps -L shows.
  const char *_Nonnull name;
  // The return addresses, the innermost first. Null with a count of 0 where the thread did not answer.
  void *_Nullable const *_Nullable frames;
  size_t count;
} cwatchdog_stack;

// Prepares what the walk needs, so that it need not allocate: may be called any number of times, and takes the signal
// SIGPROF of the process.
void cwatchdog_prepare(void);

// Calls `visit` for each thread of the process but the calling one. Each thread is interrupted by a signal for as long
// as it takes to read its stack; a thread that does not answer within 200 ms has no frames. Only one thread may call
// this function at a time. `context` is the first argument of `visit` and is not used otherwise.
void cwatchdog_visit_stacks(void *_Nullable context,
                            void (*_Nonnull visit)(void *_Nullable context, const cwatchdog_stack *_Nonnull stack));

// Finds out in which file and at which offset an address lies: what addr2line asks for.
// - file: set to the path of the file, borrowed for as long as the file is loaded; null where it is not known.
// - symbol: set to the name of the function, borrowed likewise; null where the file does not tell.
// Returns the offset in the file's image.
size_t cwatchdog_locate(const void *_Nonnull address, const char *_Nullable *_Nonnull file,
                        const char *_Nullable *_Nonnull symbol);

#endif
