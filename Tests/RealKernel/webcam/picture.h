// Pictures of the scene as the camera sends them.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "formats.h"
#include "scene.h"

// No picture is longer.
#define MAXIMUM_PICTURE (1 << 20)

// Writes a picture in a format and a size into `bytes` of MAXIMUM_PICTURE. Returns its length.
size_t make_picture(const struct scene *scene, unsigned format, struct size size, uint8_t *bytes);
