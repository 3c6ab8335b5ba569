// This module reads what the kernel knows of a TCP connection. Swift's Glibc module has <netinet/tcp.h>, whose tcp_info
// has no window.
#ifndef CTCP_H
#define CTCP_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct CTCP_progress {
  // The window that the client's kernel offered last: the number of further bytes that it would store.
  uint32_t window;
  // The number of bytes that the client's kernel has acknowledged.
  uint64_t acknowledged;
  // The number of bytes that the client has sent.
  uint64_t received;
} CTCP_progress;

// Reads the progress of a connection. Returns false when `descriptor` is no TCP connection, or when the kernel does not
// know the window, as before Linux 5.4.
bool CTCP_read_progress(int descriptor, CTCP_progress *progress);

// Makes the kernel ask for the client's window once a second while it sends nothing else. By itself, the client's
// kernel announces a wider window only when the window has at least doubled.
void CTCP_ask_for_window(int descriptor);

#ifdef __cplusplus
}
#endif

#endif
