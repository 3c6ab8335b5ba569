// The camera's controls, as its units and terminals have them, and their effect on the pictures.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum control { EXPOSURE_MODE, EXPOSURE, FOCUS, FOCUS_MODE, BRIGHTNESS, GAIN, CONTROL_COUNT };

// The bits of the exposure mode: USB Video Class 1.1, 4.2.2.1.2.
enum { MANUAL = 1, APERTURE_PRIORITY = 8 };

struct controls {
  int32_t values[CONTROL_COUNT];
  // The brightness of the scene. With 1 the scene needs an exposure of REFERENCE_EXPOSURE at gain 0.
  double light;
};

// The exposure at gain 0 in the usual light, in units of 100 µs.
#define REFERENCE_EXPOSURE 156

extern const char *const control_names[CONTROL_COUNT];

void controls_reset(struct controls *controls);

// The control that a selector of a unit or terminal stands for, or CONTROL_COUNT for none.
enum control control_at(uint8_t entity, uint8_t selector);

// Answers a GET request (0x81 to 0x87) with up to four bytes. Returns the number of bytes, or -1 where the control has
// no such answer.
int control_get(const struct controls *controls, enum control control, uint8_t request, uint8_t bytes[4]);

// Sets a value, clamped to the range of the control.
void control_set(struct controls *controls, enum control control, const uint8_t *bytes);

// Moves the automatic exposure by a quarter of the remaining way, as before each picture. Does nothing in manual mode.
void controls_adapt(struct controls *controls);

// The factor for the scene's reflectance in the next picture: 1 at the reference.
double controls_level(const struct controls *controls);
