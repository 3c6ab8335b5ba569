#include "calls.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

#include "oddities.h"
#include "signal.h"

// Takes up modes that the test has changed, as a grabber does whose source has changed. A camera that has buffers keeps
// its mode.
static void follow_source(camera *camera) {
  char path[2 * PATH_ROOM];
  snprintf(path, sizeof path, "%s/modes", folder);
  if (camera->buffer_count == 0 && refresh_modes(path)) camera->mode = default_mode();
}

static int set_format(camera *camera, struct v4l2_format *format) {
  if (format->type != V4L2_BUF_TYPE_VIDEO_CAPTURE) return fail(EINVAL);
  if (camera->buffer_count > 0) return fail(EBUSY);
  camera->mode = mode_of_format(&format->fmt.pix, camera->mode);
  return tell_format(camera->mode, format);
}

static int set_parameters(camera *camera, struct v4l2_streamparm *parameters) {
  if (parameters->type != V4L2_BUF_TYPE_VIDEO_CAPTURE) return fail(EINVAL);
  if (camera->streaming < 0) camera->mode = mode_of_rate(&parameters->parm.capture.timeperframe, camera->mode);
  return tell_parameters(camera->mode, parameters);
}

// The state of a buffer as the driver tells it.
static void describe(const camera *camera, struct v4l2_buffer *buffer) {
  buffer->flags = V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC | V4L2_BUF_FLAG_TSTAMP_SRC_SOE | V4L2_BUF_FLAG_MAPPED;
  buffer->field = oddity.field;
  buffer->bytesused = buffer->length = camera->mode->length;
  buffer->m.offset = buffer->index * room(camera);
}

// Who has buffers of a camera has the camera. The lock of the file keeps other descriptors away, also those of other
// processes.
static int request_buffers(const handle *handle, struct v4l2_requestbuffers *request) {
  camera *camera = handle->camera;
  if (request->type != V4L2_BUF_TYPE_VIDEO_CAPTURE || request->memory != V4L2_MEMORY_MMAP) return fail(EINVAL);
  if (camera->streaming >= 0 || flock(handle->node, LOCK_EX | LOCK_NB) != 0) return fail(EBUSY);
  if (request->count > MAX_BUFFERS) request->count = MAX_BUFFERS;
  request->capabilities = V4L2_BUF_CAP_SUPPORTS_MMAP;
  remove_buffers(camera);
  camera->owner = request->count > 0 ? handle->node : -1;
  if (request->count > 0)
    add_buffers(camera, request->count);
  else
    flock(handle->node, LOCK_UN);
  return 0;
}

static int create_buffers(camera *camera, struct v4l2_create_buffers *request) {
  if (request->format.type != V4L2_BUF_TYPE_VIDEO_CAPTURE || request->memory != V4L2_MEMORY_MMAP) return fail(EINVAL);
  if (request->count > MAX_BUFFERS - camera->buffer_count) return fail(ENOMEM);
  request->index = camera->buffer_count;
  add_buffers(camera, request->count);
  return 0;
}

static int answer_query(const camera *camera, struct v4l2_buffer *buffer) {
  if (buffer->index >= camera->buffer_count) return fail(EINVAL);
  describe(camera, buffer);
  return 0;
}

static int take_buffer(camera *camera, struct v4l2_buffer *buffer) {
  if (buffer->index >= camera->buffer_count) return fail(EINVAL);
  queue_buffer(camera, buffer->index);
  buffer->flags |= V4L2_BUF_FLAG_QUEUED;
  return 0;
}

static int give_buffer(camera *camera, int descriptor, struct v4l2_buffer *buffer) {
  char byte;
  if (ready_events(camera, POLLIN | POLLPRI) == POLLPRI || read(descriptor, &byte, 1) != 1) return fail(EAGAIN);
  dequeue_buffer(camera, buffer);
  describe(camera, buffer);
  return 0;
}

// Sets the cameras to the size of a signal. One that has buffers keeps its size.
static int set_timings(camera *camera, const struct v4l2_dv_timings *timings) {
  if (!has_signal()) return fail(ENOTTY);
  if (camera->mode->width == timings->bt.width && camera->mode->height == timings->bt.height) return 0;
  if (camera->buffer_count > 0) return fail(EBUSY);
  char path[2 * PATH_ROOM];
  snprintf(path, sizeof path, "%s/modes", folder);
  if (!choose_size(path, timings->bt.width, timings->bt.height)) return fail(ERANGE);
  camera->mode = default_mode();
  return 0;
}

static int subscribe(camera *camera, int descriptor, const struct v4l2_event_subscription *wanted) {
  if (!has_signal()) return fail(ENOTTY);
  if (wanted->type != V4L2_EVENT_SOURCE_CHANGE || wanted->id != 0) return fail(EINVAL);
  listen_to_signal(camera, descriptor);
  return 0;
}

static int give_event(camera *camera, int descriptor, struct v4l2_event *event) {
  char byte;
  if (!take_event(camera, descriptor)) return fail(ENOENT);
  if (read(descriptor, &byte, 1) != 1) die("the byte of an event");
  *event = (struct v4l2_event){.type = V4L2_EVENT_SOURCE_CHANGE};
  event->u.src_change.changes = V4L2_EVENT_SRC_CH_RESOLUTION;
  return 0;
}

// Whether a request is for buffers, which only the descriptor that has them may use.
static bool needs_buffers(unsigned request) {
  return request == VIDIOC_CREATE_BUFS || request == VIDIOC_QBUF || request == VIDIOC_DQBUF ||
         request == VIDIOC_STREAMON;
}

int call_camera(const handle *handle, int descriptor, unsigned request, void *argument) {
  camera *camera = handle->camera;
  follow_source(camera);
  if (needs_buffers(request) && camera->owner >= 0 && camera->owner != handle->node) return fail(EBUSY);
  switch (request) {
    case VIDIOC_QUERYCAP:
      return query_capability(camera->number, argument);
    case VIDIOC_S_INPUT:
      return *(int *)argument == 0 ? 0 : fail(EINVAL);
    case VIDIOC_G_INPUT:
      *(int *)argument = 0;
      return has_signal() ? 0 : fail(ENOTTY);
    case VIDIOC_ENUMINPUT:
      return enumerate_inputs(argument);
    case VIDIOC_QUERY_DV_TIMINGS:
      return query_timings(argument);
    case VIDIOC_S_DV_TIMINGS:
      return set_timings(camera, argument);
    case VIDIOC_SUBSCRIBE_EVENT:
      return subscribe(camera, descriptor, argument);
    case VIDIOC_DQEVENT:
      return give_event(camera, descriptor, argument);
    case VIDIOC_ENUM_FMT:
      return enumerate_formats(argument);
    case VIDIOC_ENUM_FRAMESIZES:
      return enumerate_sizes(argument);
    case VIDIOC_ENUM_FRAMEINTERVALS:
      return enumerate_intervals(argument);
    case VIDIOC_G_FMT:
      return tell_format(camera->mode, argument);
    case VIDIOC_S_FMT:
      return set_format(camera, argument);
    case VIDIOC_TRY_FMT:
      return tell_format(mode_of_format(&((struct v4l2_format *)argument)->fmt.pix, camera->mode), argument);
    case VIDIOC_G_PARM:
      return tell_parameters(camera->mode, argument);
    case VIDIOC_S_PARM:
      return set_parameters(camera, argument);
    case VIDIOC_REQBUFS:
      return request_buffers(handle, argument);
    case VIDIOC_CREATE_BUFS:
      return create_buffers(camera, argument);
    case VIDIOC_QUERYBUF:
      return answer_query(camera, argument);
    case VIDIOC_QBUF:
      return take_buffer(camera, argument);
    case VIDIOC_DQBUF:
      return give_buffer(camera, descriptor, argument);
    case VIDIOC_STREAMON:
      if (camera->streaming < 0) start_stream(camera, descriptor, handle->write_end);
      return camera->streaming == descriptor ? 0 : fail(EBUSY);
    case VIDIOC_STREAMOFF:
      stop_stream(camera, descriptor);
      return 0;
    case VIDIOC_S_CTRL:
      return ((struct v4l2_control *)argument)->id == V4L2_CID_MPEG_VIDEO_FORCE_KEY_FRAME ? ask_for_key_frame(camera)
                                                                                          : fail(EINVAL);
    default:
      return fail(ENOTTY);
  }
}
