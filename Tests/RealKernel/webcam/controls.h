// The camera's controls, as its units and terminals have them, and what they make of the light.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum control { EXPOSURE_MODE, EXPOSURE, FOCUS, FOCUS_MODE, BRIGHTNESS, GAIN, CONTROL_COUNT };

// Bits of the exposure mode: USB Video Class 1.1, 4.2.2.1.2.
enum { MANUAL = 1, APERTURE_PRIORITY = 8 };

struct controls {
  int32_t values[CONTROL_COUNT];
  // How bright the scene is: 1 needs an exposure of REFERENCE_EXPOSURE at gain 0.
  double light;
};

// In units of 100 µs.
#define REFERENCE_EXPOSURE 156

extern const char *const control_names[CONTROL_COUNT];

void controls_reset(struct controls *controls);

// The control of a unit's selector, or CONTROL_COUNT.
enum control control_at(uint8_t entity, uint8_t selector);

// Answers a GET request (0x81 to 0x87) with up to four bytes. Returns how many, or -1 where it has no such answer.
int control_get(const struct controls *controls, enum control control, uint8_t request, uint8_t bytes[4]);

// Sets a value, clamped to its range.
void control_set(struct controls *controls, enum control control, const uint8_t *bytes);

// Lets the automatic exposure go a quarter of the way that is left, as it does before each picture.
void controls_adapt(struct controls *controls);

// By what the scene's reflectance is multiplied in the next picture: 1 at the reference.
double controls_level(const struct controls *controls);
