// The cameras: their buffers and their streams.
#ifndef PRELOADED_CAMERAS_CAMERA_H
#define PRELOADED_CAMERAS_CAMERA_H

#include <linux/videodev2.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/time.h>

#include "modes.h"

#pragma GCC visibility push(hidden)

enum { MAX_BUFFERS = 32, PATH_ROOM = 512 };

// The numbers of buffers in the order in which they came.
typedef struct queue {
  uint32_t buffers[MAX_BUFFERS];
  uint32_t taken, put;
} queue;

// One camera. The lock guards what both the stream and the calls change: the queues, the times and the numbers of the
// filled buffers, and `streaming`.
typedef struct camera {
  // The file that stands for the node, the number of the camera from 0, and the thousandths of the period by which its
  // frames come after the beginning of the period.
  char node[PATH_ROOM];
  uint32_t number, place;
  pthread_mutex_t lock;
  const mode *mode;
  // The memory of all buffers, or -1, and where this process has it. It has a name, which /proc/PID/smaps shows.
  int memory;
  uint8_t *mapped;
  uint32_t buffer_count;
  // The descriptor of the node that has the buffers, or -1.
  int owner;
  queue waiting, filled;
  struct timeval filled_at[MAX_BUFFERS];
  uint32_t sequences[MAX_BUFFERS];
  // The pictures of the mode one after another, where each frame has the next one, or NULL.
  uint8_t *pictures;
  uint32_t picture_count;
  // The number of the frame that has the first picture, and whether the next frame is to have it.
  uint32_t first;
  bool begins_anew;
  // The time with which the last frame was stamped, in nanoseconds.
  uint64_t stamped;
  // The descriptor that streams and the other end of its pipe, or -1.
  int streaming, write_end;
  // The descriptor that hears of another signal at the input, or -1, when the signal changed of which it has heard, and
  // whether it has yet to hear of one. The pipe then has one byte more.
  int listener;
  struct timespec heard;
  bool has_event;
  pthread_t thread;
} camera;

// The folder of the cameras, and whether they draw numbers.
extern char folder[PATH_ROOM];
extern bool draws_numbers;

// Ends the process because of something that it needs.
void die(const char *what) __attribute__((noreturn));

// A program calls these functions for one camera from one thread at a time, as drivers demand of it too.

// Makes so many buffers besides those that exist, with a picture in each.
void add_buffers(camera *camera, uint32_t count);

// Takes all buffers away.
void remove_buffers(camera *camera);

// The whole size of a buffer in the memory.
uint32_t room(const camera *camera);

// Starts the stream of a descriptor. `write_end` gets one byte for each filled buffer.
void start_stream(camera *camera, int descriptor, int write_end);

// Ends the stream of a descriptor, if it is the one that streams. All buffers belong to the process then.
void stop_stream(camera *camera, int descriptor);

// Lets the next frame have the first picture. Returns 0, or -1 with errno when the camera takes no such request.
int ask_for_key_frame(camera *camera);

// Gives a buffer to the camera.
void queue_buffer(camera *camera, uint32_t buffer);

// The events of poll(2) that a descriptor has, whose pipe has bytes.
short ready_events(camera *camera, short wanted);

// Takes note of another signal at the input from now on.
void listen_to_signal(camera *camera, int descriptor);

// Takes the event of another signal. Returns whether there was one. The process then reads its byte from the pipe.
bool take_event(camera *camera, int descriptor);

// Takes the oldest filled buffer. The process has read its byte from the pipe.
void dequeue_buffer(camera *camera, struct v4l2_buffer *buffer);

#pragma GCC visibility pop

#endif
