#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "CLogind.h"
#include "library.h"

#define LOGIND "org.freedesktop.login1"
#define LOGIND_PATH "/org/freedesktop/login1"
#define LOGIND_MANAGER "org.freedesktop.login1.Manager"

// The most events that wait for clogind_next. One suspend makes two events. More events than this wait only when logind
// comes and goes very fast; then `note` drops the oldest, because only the newest events matter.
enum { most_waiting = 16 };

struct clogind {
  const clogind_library *library;
  sd_bus *bus;
  clogind_event waiting[most_waiting];
  int count;
};

static void note(clogind *logind, clogind_event event) {
  if (logind->count == most_waiting) {
    for (int i = 1; i < most_waiting; i++) logind->waiting[i - 1] = logind->waiting[i];
    logind->count--;
  }
  logind->waiting[logind->count++] = event;
}

static int on_prepare_for_sleep(sd_bus_message *message, void *userdata, sd_bus_error *error) {
  (void)error;
  clogind *const logind = userdata;
  int begins = 0;
  if (logind->library->sd_bus_message_read(message, "b", &begins) >= 0)
    note(logind, begins ? CLOGIND_WILL_SLEEP : CLOGIND_AWAKE);
  return 0;
}

static int on_name_owner_changed(sd_bus_message *message, void *userdata, sd_bus_error *error) {
  (void)error;
  clogind *const logind = userdata;
  const char *name, *before, *after;
  if (logind->library->sd_bus_message_read(message, "sss", &name, &before, &after) >= 0)
    note(logind, *after ? CLOGIND_ARRIVED : CLOGIND_LEFT);
  return 0;
}

static int subscribe(clogind *logind) {
  // The subscriptions come before the question whether logind is there, so that no announcement is lost in between.
  int status = logind->library->sd_bus_add_match(logind->bus, NULL,
                                                 "type='signal',sender='" LOGIND "',path='" LOGIND_PATH
                                                 "',interface='" LOGIND_MANAGER "',member='PrepareForSleep'",
                                                 on_prepare_for_sleep, logind);
  if (status < 0) return status;
  status = logind->library->sd_bus_add_match(
      logind->bus, NULL,
      "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',member='NameOwnerChanged',"
      "arg0='" LOGIND "'",
      on_name_owner_changed, logind);
  if (status < 0) return status;
  sd_bus_message *reply = NULL;
  int has_owner = 0;
  status = logind->library->sd_bus_call_method(logind->bus, "org.freedesktop.DBus", "/org/freedesktop/DBus",
                                               "org.freedesktop.DBus", "NameHasOwner", NULL, &reply, "s", LOGIND);
  if (status >= 0) status = logind->library->sd_bus_message_read(reply, "b", &has_owner);
  logind->library->sd_bus_message_unref(reply);
  if (status >= 0 && has_owner) note(logind, CLOGIND_ARRIVED);
  return status < 0 ? status : 0;
}

int clogind_open(clogind **opened) {
  const clogind_library *const library = clogind_library_load();
  if (!library) return -ELIBACC;
  clogind *const logind = calloc(1, sizeof *logind);
  if (!logind) return -ENOMEM;
  logind->library = library;
  int status = library->sd_bus_open_system(&logind->bus);
  if (status >= 0) status = subscribe(logind);
  if (status < 0) {
    clogind_close(logind);
    return status;
  }
  *opened = logind;
  return 0;
}

// The milliseconds until the bus must be processed, rounded up and at most 60,000; -1 when the bus sets no deadline.
// The deadline is a time of CLOCK_MONOTONIC.
static int patience(uint64_t deadline_microseconds) {
  if (deadline_microseconds == UINT64_MAX) return -1;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  const uint64_t microseconds = (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
  if (deadline_microseconds <= microseconds) return 0;
  const uint64_t milliseconds = (deadline_microseconds - microseconds + 999) / 1000;
  return milliseconds > 60000 ? 60000 : (int)milliseconds;
}

int clogind_next(clogind *logind, int wake, clogind_event *event) {
  const clogind_library *const library = logind->library;
  while (true) {
    if (logind->count > 0) {
      *event = logind->waiting[0];
      logind->count--;
      for (int i = 0; i < logind->count; i++) logind->waiting[i] = logind->waiting[i + 1];
      return 0;
    }
    int status = library->sd_bus_process(logind->bus, NULL);
    if (status < 0) return status;
    if (status > 0) continue;
    const int events = library->sd_bus_get_events(logind->bus);
    if (events < 0) return events;
    uint64_t deadline = UINT64_MAX;
    status = library->sd_bus_get_timeout(logind->bus, &deadline);
    if (status < 0) return status;
    struct pollfd descriptors[] = {
        {.fd = library->sd_bus_get_fd(logind->bus), .events = (short)events},
        {.fd = wake, .events = POLLIN},
    };
    if (poll(descriptors, 2, patience(deadline)) < 0 && errno != EINTR) return -errno;
    if (descriptors[1].revents != 0) {
      *event = CLOGIND_WOKEN;
      return 0;
    }
  }
}

int clogind_take_delay_lock(clogind *logind) {
  const clogind_library *const library = logind->library;
  sd_bus_message *reply = NULL;
  int status = library->sd_bus_call_method(logind->bus, LOGIND, LOGIND_PATH, LOGIND_MANAGER, "Inhibit", NULL, &reply,
                                           "ssss", "sleep", "firstlightd", "Cameras are closed first", "delay");
  int lock = -1;
  // The descriptor that sd_bus_message_read gives belongs to the message, so the caller gets a duplicate.
  if (status >= 0) status = library->sd_bus_message_read(reply, "h", &lock);
  if (status >= 0) {
    lock = fcntl(lock, F_DUPFD_CLOEXEC, 3);
    status = lock < 0 ? -errno : lock;
  }
  library->sd_bus_message_unref(reply);
  return status;
}

void clogind_close(clogind *logind) {
  if (logind->bus) logind->library->sd_bus_flush_close_unref(logind->bus);
  free(logind);
}
