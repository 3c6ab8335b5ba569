// The descriptors that the camera sends when it is plugged in: USB Video Class 1.1 with a bulk endpoint.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct identity {
  const char *product;
  // The serial number. Empty for a camera without one.
  const char *serial;
  // The default interval of every listed size, in units of 100 ns.
  uint32_t default_interval;
  // Whether the camera lists H264.
  bool has_video;
};

#define STREAM_ENDPOINT 1
#define CONTROL_INTERFACE 0
#define STREAM_INTERFACE 1
#define CAMERA_TERMINAL 1
#define PROCESSING_UNIT 2

// Writes the descriptor that a GET_DESCRIPTOR asks for. Returns its length, or 0 where there is none.
size_t describe(const struct identity *identity, uint8_t type, uint8_t index, uint8_t bytes[1024]);
