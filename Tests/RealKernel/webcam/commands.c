#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "camera.h"

enum { WORDS = 5 };

static int find(const char *name, const char *const *names, int count) {
  for (int index = 0; index < count; index++)
    if (strcmp(name, names[index]) == 0) return index;
  return -1;
}

static bool is(const char *word, const char *name) {
  return strcmp(word, name) == 0;
}

static int target_named(const char *name) {
  if (is(name, "probe")) return PROBE;
  if (is(name, "commit")) return COMMIT;
  return find(name, control_names, CONTROL_COUNT);
}

// spoil none | spoil KIND EVERY REMAINDER
static bool spoil_command(struct camera *camera, char *const *words) {
  if (is(words[1], "none")) {
    camera->spoilt = (struct spoilt){0};
    return true;
  }
  const int kind = find(words[1], spoiling_names, SPOILINGS);
  if (kind < 0) return false;
  camera->spoilt.of[kind].every = atoi(words[2]);
  camera->spoilt.of[kind].remainder = atoi(words[3]);
  return true;
}

// answer all well | answer TARGET well | answer TARGET refused | answer TARGET late MILLISECONDS
static bool answer_command(struct camera *camera, char *const *words) {
  const int target = target_named(words[1]);
  if (is(words[1], "all") && is(words[2], "well")) {
    memset(camera->answers, 0, sizeof camera->answers);
    return true;
  }
  if (target < 0) return false;
  camera->answers[target].refused = is(words[2], "refused");
  camera->answers[target].late_ms = is(words[2], "late") ? atoi(words[3]) : 0;
  return is(words[2], "well") || is(words[2], "refused") || is(words[2], "late");
}

// unplug now | never | open | probe | commit | frame NUMBER | set CONTROL | get CONTROL
static bool unplug_command(struct camera *camera, char *const *words) {
  static const char *const points[] = {"never", "open", "probe", "commit", "frame", "set", "get"};
  if (is(words[1], "now")) {
    camera_unplug(camera);
    return true;
  }
  const int point = find(words[1], points, sizeof points / sizeof *points);
  if (point < 0) return false;
  camera->unplug.frame = strtoull(words[2], NULL, 10);
  if (point == POINT_SET || point == POINT_GET) {
    const int control = find(words[2], control_names, CONTROL_COUNT);
    if (control < 0) return false;
    camera->unplug.control = control;
  }
  camera->unplug.point = point;
  return true;
}

static void print_status(const struct camera *camera) {
  printf("ok plugged=%d streaming=%d stalled=%d picture=%llu late=%llu", camera->cable >= 0, camera->stream.on,
         camera->stream.stalled, (unsigned long long)camera->stream.number, (unsigned long long)camera->stream.late);
  for (int control = 0; control < CONTROL_COUNT; control++)
    printf(" %s=%d", control_names[control], camera->controls.values[control]);
  putchar('\n');
}

static bool obey(struct camera *camera, char *const *words) {
  if (is(words[0], "spoil")) return spoil_command(camera, words);
  if (is(words[0], "answer")) return answer_command(camera, words);
  if (is(words[0], "unplug")) return unplug_command(camera, words);
  if (is(words[0], "light")) {
    camera->controls.light = atof(words[1]);
    return camera->controls.light > 0;
  }
  if (is(words[0], "noise")) {
    camera->noise = atof(words[1]);
    return true;
  }
  if (is(words[0], "stall") || is(words[0], "resume")) {
    camera->stream.stalled = is(words[0], "stall");
    // A camera that resumes does not send the pictures that it missed.
    if (camera->stream.due_ns < now_ns()) camera->stream.due_ns = now_ns();
    return true;
  }
  if (is(words[0], "record")) {
    snprintf(camera->recording, sizeof camera->recording, "%s", words[1]);
    return true;
  }
  return false;
}

void camera_command(struct camera *camera, char *line) {
  char *words[WORDS] = {"", "", "", "", ""}, *rest = line;
  for (int count = 0; count < WORDS; count++) {
    char *word = strsep(&rest, " \n");
    if (word == NULL) break;
    words[count] = word;
  }
  if (is(words[0], "plug")) {
    const int error = camera_plug(camera);
    printf(error == 0 ? "ok\n" : "%s\n", strerror(error));
  } else if (is(words[0], "status")) {
    print_status(camera);
  } else {
    puts(obey(camera, words) ? "ok" : "not understood");
  }
  fflush(stdout);
}
