// The encoder of sound for movies.
#ifndef CVIDEOCODING_AUDIO_H
#define CVIDEOCODING_AUDIO_H

#include "CVideoCoding.h"
#include "CVideoMovie.h"
#include "CVideoTrack.h"

#ifdef __cplusplus
extern "C" {
#endif

/// An encoder of sound. Only one thread may use an encoder.
typedef struct cvideo_audio_encoder cvideo_audio_encoder;

typedef enum cvideo_audio_codec {
  /// AAC-LC, by libavcodec's own encoder.
  CVIDEO_AAC,
  /// Opus, by libopus.
  CVIDEO_OPUS,
  /// Integers of 16 bits, little-endian.
  CVIDEO_PCM,
} cvideo_audio_codec;

/// The properties of all sound of a track.
typedef struct cvideo_audio_format {
  cvideo_audio_codec codec;
  /// Samples per second of each channel.
  int sample_rate;
  int channel_count;
  /// Bits per second of all channels together. Unused by PCM.
  int64_t bit_rate;
} cvideo_audio_format;

/// Returns whether libavcodec has the encoder of a codec. Loads libavcodec. Any thread may call this function.
bool cvideo_audio_encoder_exists(cvideo_audio_codec codec);

/// Opens an encoder.
///
/// - format: borrowed for the call.
/// - message: on failure, a terminated text without a full stop.
/// - Returns: the encoder, which the caller owns and ends with cvideo_audio_encoder_destroy; null when libavcodec is
/// not
///   installed, when it lacks the encoder, and when the encoder refuses the format.
cvideo_audio_encoder *_Nullable cvideo_audio_encoder_create(const cvideo_audio_format *_Nonnull format,
                                                            char message[_Nonnull 160]);

/// Ends an encoder and frees its memory.
void cvideo_audio_encoder_destroy(cvideo_audio_encoder *_Nonnull encoder);

/// Returns how many samples of each channel a packet has.
int cvideo_audio_encoder_packet_size(const cvideo_audio_encoder *_Nonnull encoder);

/// Returns how many samples of each channel a decoder gives before the first one that was sent.
int cvideo_audio_encoder_delay(const cvideo_audio_encoder *_Nonnull encoder);

/// Sends the samples of one packet, or the end.
///
/// - samples: from -1 to 1, interleaved, borrowed for the call: as many of each channel as
///   cvideo_audio_encoder_packet_size tells. Null ends the sound.
/// - time: the number of samples of each channel that were sent before.
/// - Returns: CVIDEO_OK or CVIDEO_FAILED.
cvideo_result cvideo_audio_encoder_send(cvideo_audio_encoder *_Nonnull encoder, const float *_Nullable samples,
                                        int64_t time);

/// Gets the next packet. Call it after each cvideo_audio_encoder_send until it returns something else than CVIDEO_OK.
///
/// - packet: filled with CVIDEO_OK. Its times are numbers of samples: those of the first sample that a decoder gives
/// for
///   the packet, counted from the first sample that was sent; negative within the delay. Its bytes are borrowed until
///   the next call with the encoder.
/// - Returns: CVIDEO_OK; CVIDEO_LATE when the encoder needs more samples; CVIDEO_ENDED; CVIDEO_FAILED.
cvideo_result cvideo_audio_encoder_receive(cvideo_audio_encoder *_Nonnull encoder, cvideo_packet *_Nonnull packet);

/// Returns the reason of the last CVIDEO_FAILED. The encoder owns the text, which is borrowed until the next call.
const char *_Nonnull cvideo_audio_encoder_message(const cvideo_audio_encoder *_Nonnull encoder);

/// Makes the track of the encoder's packets. It tells players no delay, so the times of the packets say everything.
///
/// - Returns: the track, which the caller owns and frees with cvideo_track_destroy; null when out of memory.
cvideo_track *_Nullable cvideo_audio_encoder_track(const cvideo_audio_encoder *_Nonnull encoder);

/// Gives sound another rate, with libswresample. Only one thread may use a resampler.
typedef struct cvideo_resampler cvideo_resampler;

/// Opens a resampler. Loads libswresample and libavutil.
///
/// - input_rate, output_rate: samples per second of each channel.
/// - message: on failure, a terminated text without a full stop.
/// - Returns: the resampler, which the caller owns and ends with cvideo_resampler_destroy; null on failure.
cvideo_resampler *_Nullable cvideo_resampler_create(int channel_count, int input_rate, int output_rate,
                                                    char message[_Nonnull 160]);

/// Ends a resampler and frees its memory.
void cvideo_resampler_destroy(cvideo_resampler *_Nonnull resampler);

/// Returns the most samples of each channel that cvideo_resampler_convert can give for `count` more.
int cvideo_resampler_capacity(cvideo_resampler *_Nonnull resampler, int count);

/// Converts the next samples. The first sample that comes out lies at the time of the first one that went in.
///
/// - samples: interleaved, borrowed for the call. Null gives the rest, after which the resampler takes nothing more.
/// - count: the number of samples of each channel; 0 for the rest.
/// - output: gets the result; has room for as many samples of each channel as cvideo_resampler_capacity tells.
/// - capacity: the room of `output`.
/// - Returns: the number of samples of each channel in `output`; negative on failure.
int cvideo_resampler_convert(cvideo_resampler *_Nonnull resampler, const float *_Nullable samples, int count,
                             float *_Nonnull output, int capacity);

#ifdef __cplusplus
}
#endif
#endif
