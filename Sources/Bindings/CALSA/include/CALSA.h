// Finds and reads the inputs of sound cards by libasound, which is loaded on demand. A daemon on a machine without
// sound never loads it.
#ifndef CALSA_H
#define CALSA_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Returns whether libasound is installed; loads it. Any thread may call this function.
bool calsa_is_available(void);

/// The symbolic name of an errno, such as `EBUSY`, in static memory that the caller must not free. Any thread may call
/// this function.
const char *_Nonnull calsa_error_name(int error);

/// A text of libasound, always with a NUL at its end.
typedef struct calsa_text {
  char text[128];
} calsa_text;

/// An input of a sound card.
typedef struct calsa_input {
  /// The number of the card and of the device on it, as in `hw:card,device`.
  int card, device;
  /// The driver and the name of the card, and the name of the input.
  calsa_text driver, card_name, name;
} calsa_input;

/// Lists the inputs of all cards by their control interfaces, in order. No stream is opened. Blocks for short.
///
/// - inputs: gets at most `capacity` inputs.
/// - Returns: the number of inputs; -ENOSYS when libasound is not installed.
int calsa_inputs(calsa_input *_Nonnull inputs, int capacity);

/// Returns whether libasound's configuration offers an input of this name to programs, as it does for `pipewire` and
/// `pulse` when these plug-ins are installed. Reads files.
///
/// - name: borrowed for the call.
bool calsa_has_plugin(const char *_Nonnull name);

/// The rates and the numbers of channels that an input can deliver.
typedef struct calsa_capabilities {
  /// A bit for each rate of `calsa_rates`, by its index.
  uint32_t rates;
  /// A bit for each number of channels, from 1 (bit 0) to 32.
  uint32_t channels;
} calsa_capabilities;

/// The sample rates in Hz that the daemon asks for, the lowest first.
enum { CALSA_RATE_COUNT = 9 };
extern const unsigned int calsa_rates[CALSA_RATE_COUNT];

/// Asks an input what it can deliver, in a sample format that this module reads. The input is opened for the call.
///
/// - name: libasound's name, such as `hw:0,0`; borrowed for the call.
/// - Returns: 0, or a negative errno: -EBUSY while a program uses the input.
int calsa_query(const char *_Nonnull name, calsa_capabilities *_Nonnull capabilities);

/// An input that captures. One thread at a time may use it.
typedef struct calsa_capture calsa_capture;

/// Opens an input and starts it: periods of about 10 ms, a buffer of about half a second, time stamps of
/// CLOCK_MONOTONIC.
///
/// - name: libasound's name, borrowed for the call.
/// - call: gets the name of the call that failed, in static memory.
/// - capture: gets the input; the caller closes it with `calsa_capture_close`.
/// - Returns: 0, or a negative errno: -EINVAL when the input cannot deliver this rate and number of channels.
int calsa_capture_open(const char *_Nonnull name, unsigned int rate, unsigned int channels,
                       calsa_capture *_Nullable *_Nonnull capture, const char *_Nonnull *_Nonnull call);

/// Waits until samples can be read, until `descriptor` can be read, or until the time is over.
///
/// - descriptor: borrowed for the call.
/// - Returns: 1 when samples can be read, 0 when not, or a negative errno: -EPIPE after an overrun, -ESTRPIPE after a
///   suspension, -ENODEV when the card is gone.
int calsa_capture_wait(calsa_capture *_Nonnull capture, int descriptor, int milliseconds);

/// Reads the samples that there are, as numbers from -1 to 1.
///
/// - samples: gets at most `capacity` samples of each channel, interleaved.
/// - time: gets an instant of CLOCK_MONOTONIC in nanoseconds: when the driver counted the samples, or the present when
///   neither the driver nor the plug-in tells.
/// - position: gets how many samples of each channel were captured by then, since the start or the restart.
/// - Returns: the number of samples of each channel, or a negative errno as `calsa_capture_wait`.
long calsa_capture_read(calsa_capture *_Nonnull capture, float *_Nonnull samples, long capacity,
                        uint64_t *_Nonnull time, uint64_t *_Nonnull position);

/// Starts the input again after an overrun or a suspension. Positions then count from 0.
///
/// - Returns: 0, or a negative errno: -ESTRPIPE while the card is still suspended.
int calsa_capture_restart(calsa_capture *_Nonnull capture);

/// Stops the input and frees it.
void calsa_capture_close(calsa_capture *_Nonnull capture);

#ifdef __cplusplus
}
#endif
#endif
