// What logind says on the system bus before and after the machine sleeps, and its lock that delays sleep. By sd-bus of
// libsystemd, which is loaded on demand: a machine without it, or without a bus, sleeps all the same.
#ifndef CLOGIND_H
#define CLOGIND_H

#include <stdbool.h>
// What ends a wait is an eventfd.
#include <sys/eventfd.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A connection to the system bus. Belongs to the thread that opened it.
typedef struct clogind clogind;

typedef enum clogind_event {
  /// The caller's descriptor became readable.
  CLOGIND_WOKEN,
  /// The machine sleeps as soon as nobody delays it.
  CLOGIND_WILL_SLEEP,
  /// It is awake again, or did not sleep after all.
  CLOGIND_AWAKE,
  /// logind is there, for the first time or again.
  CLOGIND_ARRIVED,
  /// logind is gone; the bus is not.
  CLOGIND_LEFT,
} clogind_event;

/// Connects to the system bus (DBUS_SYSTEM_BUS_ADDRESS, or the usual socket) and subscribes. Blocks while the bus
/// answers.
///
/// - logind: set on success, to be given to clogind_close; untouched otherwise.
/// - Returns: 0, or a negative errno: -ELIBACC when there is no libsystemd, -ENOENT mostly when there is no bus.
int clogind_open(clogind *_Nullable *_Nonnull logind);

/// Waits for the next event.
///
/// - wake: a descriptor that ends the wait by becoming readable. Borrowed; not read.
/// - event: set on success; untouched otherwise.
/// - Returns: 0, or a negative errno when the bus is gone. `logind` is of no use then but still the caller's, who gives
/// it to
///   clogind_close.
int clogind_next(clogind *_Nonnull logind, int wake, clogind_event *_Nonnull event);

/// Takes the lock that delays sleep until it is closed, or until logind has waited long enough (5 s by default). Blocks
/// while logind answers.
///
/// - Returns: a descriptor that the caller owns and closes, or a negative errno.
int clogind_take_delay_lock(clogind *_Nonnull logind);

/// Disconnects. To be called by the thread that opened it.
void clogind_close(clogind *_Nonnull logind);

#ifdef __cplusplus
}
#endif
#endif
