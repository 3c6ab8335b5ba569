// The cable: USB requests from the kernel's vhci-hcd, over a socket pair, in the protocol of USB/IP
// (Documentation/usb/usbip_protocol.rst).
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAXIMUM_PAYLOAD 16384

// One request of the kernel. `data` is the data of a control request of direction out.
struct request {
  uint32_t id;
  bool in;
  uint32_t endpoint;
  uint32_t length;
  uint8_t setup[8];
  uint8_t data[256];
};

enum event { EVENT_REQUEST, EVENT_CANCEL, EVENT_GONE };

// Plugs a device with the speed of USB 2.0 into a port of vhci_hcd.0. Returns the socket, or -1 with errno. The caller
// closes the socket to unplug the device. Waits while the kernel still cleans up the port.
int usbip_attach(unsigned port);

// Reads the next request. For EVENT_CANCEL only `id` is set, to the request that the kernel no longer waits for, and
// `cancellation`, which usbip_cancelled needs. EVENT_GONE means that the kernel unplugged the device.
enum event usbip_read(int cable, struct request *request, uint32_t *cancellation);

// Answers a request with `length` bytes of `data` (direction in), with the number of bytes that the device took
// (direction out), or with a negative errno as `status`.
void usbip_answer(int cable, const struct request *request, int32_t status, const void *data, size_t length);

// Answers a cancellation. `found` says whether the request was still waiting.
void usbip_cancelled(int cable, uint32_t cancellation, bool found);
