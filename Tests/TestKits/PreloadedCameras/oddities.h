// What the cameras do otherwise than good ones, as people report it of real ones.
#ifndef PRELOADED_CAMERAS_ODDITIES_H
#define PRELOADED_CAMERAS_ODDITIES_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

typedef enum stamps {
  // The time at which a frame is due.
  STAMPS_TRUE,
  // That of the first frame, for all frames.
  STAMPS_FROZEN,
  // Two frames after another have the time of the first of them.
  STAMPS_PAIRS,
  // Zero.
  STAMPS_ZERO,
  // The time by the wall clock, although the driver says that it is of CLOCK_MONOTONIC.
  STAMPS_WALL,
} stamps;

typedef struct oddities {
  stamps stamps;
  // V4L2's number for the order of the fields of a frame.
  uint32_t field;
  // Whether each frame has the next picture of the file, and all after the last one that one. Other cameras show the
  // picture that is in the buffer.
  bool shows_once;
  // Whether each frame has the next picture of the file, and the first one follows the last one.
  bool shows_in_turn;
  // Whether the camera takes requests for a key frame, after which it begins with the first picture again.
  bool takes_key_frame_requests;
  // The number of the first frame that is lost; 0 for none.
  uint32_t lost;
  // The seconds that a frame takes, times the frames per second of the mode.
  uint32_t period;
  // The bytes from a line to the next, where the lines are padded. 0 for lines without padding.
  uint32_t stride;
} oddities;

extern oddities oddity;

// Reads the oddities from a file, once. Without it the cameras are good ones. Ends the process when the file is not as
// it must be.
void read_oddities(const char *path);

// The time with which the frame of this number is stamped, in nanoseconds, when it is due at `due`. `last` is the time
// with which the frame before was stamped.
uint64_t stamp(uint32_t sequence, uint64_t due, uint64_t last);

#pragma GCC visibility pop

#endif
