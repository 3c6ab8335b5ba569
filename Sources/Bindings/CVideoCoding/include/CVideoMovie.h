// The encoder of movies. It may hold pictures back to spend the bits better, and it knows the time of each picture.
#ifndef CVIDEOCODING_MOVIE_H
#define CVIDEOCODING_MOVIE_H

#include "CVideoCoding.h"
#include "CVideoTrack.h"

#ifdef __cplusplus
extern "C" {
#endif

/// An encoder of movies. Only one thread may use an encoder.
typedef struct cvideo_movie_encoder cvideo_movie_encoder;

/// How the pictures lie that an encoder takes. Samples have eight bits.
typedef enum cvideo_pixels {
  /// 4:2:0 in two planes: luma, then interleaved Cb and Cr.
  CVIDEO_NV12,
  /// 4:2:0 in three planes.
  CVIDEO_YUV420,
  /// 4:2:2 in three planes.
  CVIDEO_YUV422,
  /// Luma alone.
  CVIDEO_GREY,
} cvideo_pixels;

/// The properties that all pictures of a movie share.
typedef struct cvideo_movie_format {
  cvideo_codec codec;
  /// The software encoders take these pixels: H.264 CVIDEO_NV12 or CVIDEO_YUV420, HEVC CVIDEO_YUV420, ProRes
  /// CVIDEO_YUV422, FFV1 all but CVIDEO_NV12. Hardware encoders take CVIDEO_NV12.
  cvideo_pixels pixels;
  /// The width in pixels; even, except for FFV1.
  int width;
  /// The height in pixels; even, except for FFV1.
  int height;
  bool is_full_range;
  cvideo_matrix matrix;
  /// The nominal rate in pictures per second, as a fraction. The times of the pictures count, and not this rate; the
  /// encoder uses it to plan.
  int rate_numerator;
  int rate_denominator;
  /// 0 to 51, where a lower value gives better quality. Unused with a bit rate, and by ProRes and FFV1.
  int quantizer;
  /// The bits per second, on average and within each second; 0 for a constant quality. Unused by ProRes and FFV1.
  int64_t bit_rate;
  /// The largest number of pictures from one key frame to the next.
  int key_frame_distance;
  /// The number of threads; 0 leaves the choice to the encoder.
  int threads;
} cvideo_movie_format;

/// A picture. The encoder only reads the picture, and only until the function returns. Strides are in bytes. Planes
/// that the pixels of the encoder's format do not have are null.
typedef struct cvideo_movie_picture {
  const uint8_t *_Nullable planes[3];
  int strides[3];
  /// The number of bytes from the start of the first plane that may be read.
  size_t byte_count;
  /// The time of the picture in ticks, later than the time of the picture before it.
  int64_t time;
  /// Whether the coded picture must be a key frame. The first coded picture always is one.
  bool is_key_frame;
} cvideo_movie_picture;

/// A coded picture. The encoder owns the bytes, which are borrowed until the next call with the encoder.
typedef struct cvideo_packet {
  const uint8_t *_Nullable data;
  size_t count;
  /// The time of the picture, in ticks, as the caller gave it.
  int64_t time;
  /// When the picture must be decoded, in ticks; the same as its time, because no picture refers to a later one.
  int64_t decode_time;
  bool is_key_frame;
} cvideo_packet;

/// Returns libavcodec's name of an encoder; null when there is no encoder of this kind. The text is static and never
/// freed.
const char *_Nullable cvideo_movie_encoder_name(cvideo_codec codec, cvideo_kind kind);

/// Returns whether libavcodec has the encoder. Loads libavcodec. That an encoder of hardware exists does not mean that
/// the machine has the hardware.
bool cvideo_movie_encoder_exists(cvideo_codec codec, cvideo_kind kind);

/// Makes an encoder of movies. H.264 and HEVC have no B-frames, and their parameter sets are in the track and not
/// before each key frame, except those of V4L2 devices.
///
/// - message: on failure, a terminated text without a full stop.
/// - Returns: the encoder, which the caller owns and ends with cvideo_movie_encoder_destroy; null when libavcodec, the
///   encoder or the device is not available, when the encoder refuses the format, or when out of memory.
cvideo_movie_encoder *_Nullable cvideo_movie_encoder_create(cvideo_kind kind,
                                                            const cvideo_movie_format *_Nonnull format,
                                                            char message[_Nonnull 160]);

/// Ends an encoder and frees its memory. Pictures that the encoder still holds are lost.
void cvideo_movie_encoder_destroy(cvideo_movie_encoder *_Nonnull encoder);

/// Gives the encoder a picture. The caller then takes all coded pictures that are ready, before it gives the next one.
///
/// - picture: borrowed for the call; null ends the movie, so that the encoder returns the pictures that it still holds.
/// - Returns: CVIDEO_OK or CVIDEO_FAILED.
cvideo_result cvideo_movie_encoder_send(cvideo_movie_encoder *_Nonnull encoder,
                                        const cvideo_movie_picture *_Nullable picture);

/// Takes the next coded picture.
///
/// - packet: set with CVIDEO_OK only.
/// - Returns: CVIDEO_OK; CVIDEO_LATE when the encoder needs another picture first; CVIDEO_ENDED after the last coded
///   picture of a movie that was ended; CVIDEO_FAILED.
cvideo_result cvideo_movie_encoder_receive(cvideo_movie_encoder *_Nonnull encoder, cvideo_packet *_Nonnull packet);

/// Returns the reason of the last CVIDEO_FAILED. The encoder owns the text, which is borrowed until the next call.
const char *_Nonnull cvideo_movie_encoder_message(const cvideo_movie_encoder *_Nonnull encoder);

/// Makes the track of an encoder. A V4L2 device tells its parameter sets only with its first key frame.
///
/// - key_frame, count: the bytes of a key frame of the encoder, borrowed for the call; null when there is none yet.
/// - Returns: the track, which the caller owns and frees with cvideo_track_destroy, and which may outlive the encoder;
///   null when out of memory, and when the encoder has parameter sets that it has not told yet.
cvideo_track *_Nullable cvideo_movie_encoder_track(const cvideo_movie_encoder *_Nonnull encoder,
                                                   const uint8_t *_Nullable key_frame, size_t count);

#ifdef __cplusplus
}
#endif
#endif
