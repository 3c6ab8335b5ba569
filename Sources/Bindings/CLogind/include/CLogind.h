// The announcements of logind on the system bus before and after the machine sleeps, and the lock of logind that delays
// sleep. The functions use sd-bus of libsystemd and load libsystemd on demand: without libsystemd, or without a system
// bus, the daemon runs without announcements of sleep.
#ifndef CLOGIND_H
#define CLOGIND_H

#include <stdbool.h>
// The caller ends a wait in clogind_next with an eventfd, which this header makes available to Swift.
#include <sys/eventfd.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A connection to the system bus. Only the thread that opened the connection may use it.
typedef struct clogind clogind;

typedef enum clogind_event {
  /// The caller's descriptor `wake` became readable.
  CLOGIND_WOKEN,
  /// The machine is about to sleep. logind waits for the delay locks, but not for longer than its own limit.
  CLOGIND_WILL_SLEEP,
  /// The machine is awake again, or did not sleep after all.
  CLOGIND_AWAKE,
  /// logind is on the bus, for the first time or again.
  CLOGIND_ARRIVED,
  /// logind has left the bus; the bus itself still works.
  CLOGIND_LEFT,
} clogind_event;

/// Connects to the system bus (DBUS_SYSTEM_BUS_ADDRESS, or the usual socket) and subscribes to the events of logind.
/// Blocks until the bus has answered.
///
/// - logind: set on success to a connection that the caller gives to clogind_close; untouched otherwise.
/// - Returns: 0, or a negative errno: -ELIBACC when there is no libsystemd; in most cases -ENOENT when there is no bus.
int clogind_open(clogind *_Nullable *_Nonnull logind);

/// Waits for the next event.
///
/// - wake: a descriptor that ends the wait by becoming readable. The function borrows the descriptor and does not read
///   from it.
/// - event: set on success; untouched otherwise.
/// - Returns: 0, or a negative errno when the bus is gone. The caller cannot use `logind` afterwards, but still owns it
///   and gives it to clogind_close.
int clogind_next(clogind *_Nonnull logind, int wake, clogind_event *_Nonnull event);

/// Takes the lock that delays sleep. logind waits until the lock is closed, but no longer than its limit (5 s by
/// default). Blocks until logind has answered.
///
/// - Returns: the lock, a descriptor that the caller owns and closes, or a negative errno.
int clogind_take_delay_lock(clogind *_Nonnull logind);

/// Disconnects and frees `logind`. Only the thread that opened the connection may call this function.
void clogind_close(clogind *_Nonnull logind);

#ifdef __cplusplus
}
#endif
#endif
