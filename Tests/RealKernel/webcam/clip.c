#include "clip.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "picture.h"

enum { MOST = 1024 };

static struct {
  uint8_t *bytes;
  size_t length;
} pictures[MOST];
static unsigned count;

bool clip_read(const char *path) {
  FILE *file = fopen(path, "rbe");
  if (file == NULL) return false;
  uint8_t head[4];
  bool is_whole = true;
  while (is_whole && count < MOST && fread(head, 1, sizeof head, file) == sizeof head) {
    const size_t length = head[0] | head[1] << 8 | head[2] << 16 | (size_t)head[3] << 24;
    is_whole = length > 0 && length <= MAXIMUM_PICTURE;
    uint8_t *bytes = is_whole ? malloc(length) : NULL;
    is_whole = bytes != NULL && fread(bytes, 1, length, file) == length;
    pictures[count].bytes = bytes;
    pictures[count].length = length;
    count++;
  }
  fclose(file);
  return is_whole && count > 0;
}

size_t clip_picture(uint64_t number, uint8_t *bytes) {
  const unsigned place = number % count;
  memcpy(bytes, pictures[place].bytes, pictures[place].length);
  return pictures[place].length;
}
