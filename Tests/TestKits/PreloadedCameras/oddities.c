#include "oddities.h"

#include <linux/videodev2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

oddities oddity = {.field = V4L2_FIELD_NONE, .period = 1};

// The names of `stamps`.
static const char *const names[] = {"true", "frozen", "pairs", "zero", "wall"};

static bool set(const char *name, const char *value) {
  if (strcmp(name, "field") == 0) return sscanf(value, "%u", &oddity.field) == 1;
  if (strcmp(name, "period") == 0) return sscanf(value, "%u", &oddity.period) == 1;
  if (strcmp(name, "stride") == 0) return sscanf(value, "%u", &oddity.stride) == 1;
  if (strcmp(name, "lost") == 0) return sscanf(value, "%u", &oddity.lost) == 1;
  if (strcmp(name, "key_frames") == 0) return oddity.takes_key_frame_requests = strcmp(value, "asked") == 0;
  if (strcmp(name, "pictures") == 0) {
    oddity.shows_once = strcmp(value, "once") == 0;
    oddity.shows_in_turn = strcmp(value, "in_turn") == 0;
    return oddity.shows_once || oddity.shows_in_turn;
  }
  if (strcmp(name, "stamps") != 0) return false;
  for (size_t each = 0; each < sizeof names / sizeof *names; each++) {
    if (strcmp(value, names[each]) != 0) continue;
    oddity.stamps = (stamps)each;
    return true;
  }
  return false;
}

void read_oddities(const char *path) {
  FILE *file = fopen(path, "re");
  if (file == NULL) return;
  char name[32], value[32];
  while (fscanf(file, "%31s %31s", name, value) == 2) {
    if (set(name, value)) continue;
    fprintf(stderr, "preloaded cameras: there is no oddity %s %s\n", name, value);
    abort();
  }
  fclose(file);
}

uint64_t stamp(uint32_t sequence, uint64_t due, uint64_t last) {
  switch (oddity.stamps) {
    case STAMPS_FROZEN:
      return sequence == 0 ? due : last;
    case STAMPS_PAIRS:
      return sequence % 2 == 0 ? due : last;
    case STAMPS_ZERO:
      return 0;
    case STAMPS_WALL: {
      struct timespec now;
      clock_gettime(CLOCK_REALTIME, &now);
      return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
    }
    default:
      return due;
  }
}
