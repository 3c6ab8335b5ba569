// The ioctls of the cameras.
#ifndef PRELOADED_CAMERAS_CALLS_H
#define PRELOADED_CAMERAS_CALLS_H

#include "camera.h"

#pragma GCC visibility push(hidden)

// What the process opened: the camera, the end of the pipe that the camera writes into, and the file of the node.
typedef struct handle {
  camera *camera;
  int write_end, node;
} handle;

// Answers an ioctl on a descriptor, which is the other end of the pipe. Returns 0, or -1 with errno.
int call_camera(const handle *handle, int descriptor, unsigned request, void *argument);

#pragma GCC visibility pop

#endif
