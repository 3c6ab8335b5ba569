// The functions of sd-bus, loaded with dlopen. Private to this module.
#ifndef CLOGIND_LIBRARY_H
#define CLOGIND_LIBRARY_H

#include <stdint.h>

// This header declares sd-bus as <systemd/sd-bus.h> does, in place of including that file. libsystemd promises this
// interface for as long as its file is called .so.0, and the development package of libsystemd would force all of
// systemd to one version.
typedef struct sd_bus sd_bus;
typedef struct sd_bus_message sd_bus_message;
typedef struct sd_bus_slot sd_bus_slot;
typedef struct sd_bus_error {
  const char *name;
  const char *message;
  int need_free;
} sd_bus_error;
typedef int (*sd_bus_message_handler_t)(sd_bus_message *message, void *userdata, sd_bus_error *error);

typedef struct clogind_library {
  int (*sd_bus_open_system)(sd_bus **bus);
  sd_bus *(*sd_bus_flush_close_unref)(sd_bus *bus);
  int (*sd_bus_get_fd)(sd_bus *bus);
  int (*sd_bus_get_events)(sd_bus *bus);
  int (*sd_bus_get_timeout)(sd_bus *bus, uint64_t *microseconds);
  int (*sd_bus_process)(sd_bus *bus, sd_bus_message **message);
  int (*sd_bus_add_match)(sd_bus *bus, sd_bus_slot **slot, const char *match, sd_bus_message_handler_t callback,
                          void *userdata);
  int (*sd_bus_call_method)(sd_bus *bus, const char *destination, const char *path, const char *interface,
                            const char *member, sd_bus_error *error, sd_bus_message **reply, const char *types, ...);
  int (*sd_bus_message_read)(sd_bus_message *message, const char *types, ...);
  sd_bus_message *(*sd_bus_message_unref)(sd_bus_message *message);
  void (*sd_bus_error_free)(sd_bus_error *error);
} clogind_library;

#define CLOGIND_FUNCTIONS(use)                                                                    \
  use(sd_bus_open_system) use(sd_bus_flush_close_unref) use(sd_bus_get_fd) use(sd_bus_get_events) \
      use(sd_bus_get_timeout) use(sd_bus_process) use(sd_bus_add_match) use(sd_bus_call_method)   \
          use(sd_bus_message_read) use(sd_bus_message_unref) use(sd_bus_error_free)

/// Loads libsystemd at the first call. Any thread may call this function.
///
/// - Returns: the functions of sd-bus in static memory, which is never freed; NULL when libsystemd, or one of the
///   functions, is missing.
const clogind_library *clogind_library_load(void);

#endif
