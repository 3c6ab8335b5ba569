#include "signal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "modes.h"

static char file_path[1024];

void find_signal(const char *path) {
  struct stat status;
  if (stat(path, &status) == 0) snprintf(file_path, sizeof file_path, "%s", path);
}

bool has_signal(void) {
  return file_path[0] != 0;
}

struct timespec signal_time(void) {
  struct stat status;
  return has_signal() && stat(file_path, &status) == 0 ? status.st_mtim : (struct timespec){0};
}

int enumerate_inputs(struct v4l2_input *input) {
  if (!has_signal()) return fail(ENOTTY);
  if (input->index != 0) return fail(EINVAL);
  *input = (struct v4l2_input){.name = "HDMI", .type = V4L2_INPUT_TYPE_CAMERA, .capabilities = V4L2_IN_CAP_DV_TIMINGS};
  return 0;
}

int query_timings(struct v4l2_dv_timings *timings) {
  if (!has_signal()) return fail(ENOTTY);
  char text[64] = {0};
  FILE *file = fopen(file_path, "re");
  if (file == NULL || fgets(text, sizeof text, file) == NULL) text[0] = 0;
  if (file != NULL) fclose(file);
  uint32_t width, height;
  if (sscanf(text, "%u %u", &width, &height) == 2) {
    *timings = (struct v4l2_dv_timings){.type = V4L2_DV_BT_656_1120};
    timings->bt.width = width;
    timings->bt.height = height;
    timings->bt.pixelclock = 30 * (uint64_t)width * height;
    return 0;
  }
  return fail(strncmp(text, "ENOLCK", 6) == 0 ? ENOLCK : strncmp(text, "ERANGE", 6) == 0 ? ERANGE : ENOLINK);
}
