#include "controls.h"

#include <math.h>
#include <stddef.h>

struct kind {
  uint8_t entity, selector, size, information;
  int32_t minimum, maximum, step, standard;
};

enum { READ_AND_WRITE = 3, CHANGES_BY_ITSELF = 8 };

static const struct kind kinds[CONTROL_COUNT] = {
    [EXPOSURE_MODE] = {1, 2, 1, READ_AND_WRITE, MANUAL, APERTURE_PRIORITY, MANUAL | APERTURE_PRIORITY,
                       APERTURE_PRIORITY},
    [EXPOSURE] = {1, 4, 4, READ_AND_WRITE | CHANGES_BY_ITSELF, 1, 5000, 1, REFERENCE_EXPOSURE},
    [FOCUS] = {1, 6, 2, READ_AND_WRITE, 0, 250, 5, 0},
    [FOCUS_MODE] = {1, 8, 1, READ_AND_WRITE, 0, 1, 1, 1},
    [BRIGHTNESS] = {2, 2, 2, READ_AND_WRITE, 0, 255, 1, 128},
    [GAIN] = {2, 4, 2, READ_AND_WRITE, 0, 100, 1, 0},
};

const char *const control_names[CONTROL_COUNT] = {"exposure-mode", "exposure",   "focus",
                                                  "focus-mode",    "brightness", "gain"};

void controls_reset(struct controls *controls) {
  for (int control = 0; control < CONTROL_COUNT; control++) controls->values[control] = kinds[control].standard;
}

enum control control_at(uint8_t entity, uint8_t selector) {
  int control = 0;
  while (control < CONTROL_COUNT && (kinds[control].entity != entity || kinds[control].selector != selector)) control++;
  return control;
}

int control_get(const struct controls *controls, enum control control, uint8_t request, uint8_t bytes[4]) {
  const struct kind *kind = &kinds[control];
  int32_t value;
  int size = kind->size;
  switch (request) {
    case 0x81:
      value = controls->values[control];
      break;
    case 0x82:
      value = kind->minimum;
      break;
    case 0x83:
      value = kind->maximum;
      break;
    case 0x84:
      value = kind->step;
      break;
    case 0x85:
      value = kind->size, size = 2;
      break;
    case 0x86:
      value = kind->information, size = 1;
      break;
    case 0x87:
      value = kind->standard;
      break;
    default:
      return -1;
  }
  for (int index = 0; index < size; index++) bytes[index] = value >> (8 * index);
  return size;
}

void control_set(struct controls *controls, enum control control, const uint8_t *bytes) {
  const struct kind *kind = &kinds[control];
  int64_t value = 0;
  for (int index = 0; index < kind->size; index++) value |= (int64_t)bytes[index] << (8 * index);
  if (value < kind->minimum) value = kind->minimum;
  if (value > kind->maximum) value = kind->maximum;
  controls->values[control] = value;
}

static double gain(const struct controls *controls) {
  return 1 + controls->values[GAIN] / 25.0;
}

void controls_adapt(struct controls *controls) {
  if (controls->values[EXPOSURE_MODE] == MANUAL) return;
  const double wanted = fmin(fmax(REFERENCE_EXPOSURE / (controls->light * gain(controls)), 1), 5000);
  const double left = wanted - controls->values[EXPOSURE];
  controls->values[EXPOSURE] += fabs(left) < 4 ? lround(left) : lround(left / 4);
}

double controls_level(const struct controls *controls) {
  return controls->light * controls->values[EXPOSURE] / REFERENCE_EXPOSURE * gain(controls);
}
