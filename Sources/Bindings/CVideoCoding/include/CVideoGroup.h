// Encodes the end of a group of pictures anew, so that a movie can begin within the group.
#ifndef CVIDEOCODING_GROUP_H
#define CVIDEOCODING_GROUP_H

#include "CVideoCoding.h"
#include "CVideoTrack.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A sample of a group, as it is in a file in MP4 or QuickTime.
typedef struct cvideo_group_sample {
  /// When the picture is shown, in nanoseconds.
  int64_t time;
  /// The number of bytes.
  uint32_t count;
  bool is_key_frame;
} cvideo_group_sample;

/// Pictures that were encoded anew.
typedef struct cvideo_group {
  /// The samples, one for each picture that was asked for, in their order.
  cvideo_group_sample *_Nullable samples;
  size_t sample_count;
  /// The bytes of all samples, one after the other.
  uint8_t *_Nullable bytes;
  size_t byte_count;
  /// The track of a movie that has these samples and then others of the old track.
  cvideo_track *_Nullable track;
  /// The parameter sets of the old track, as a sample has them. The first key frame of the old track that follows needs
  /// them in front of its bytes. None where the new track has the parameter sets of both.
  uint8_t *_Nullable old_sets;
  size_t old_set_count;
} cvideo_group;

/// Decodes a group of pictures, and encodes its pictures from one on anew with x264 or x265. The first of them becomes
/// a key frame. Blocks for as long as both takes. The same arguments give the same bytes.
///
/// - track: the track of the group, from cvideo_sample_index_read, in H.264 or HEVC; borrowed for the call.
/// - samples: the group in the order of its times, which begins with a key frame; borrowed for the call. No picture of
///   it refers to a later one.
/// - bytes: the bytes of all samples, one after the other, borrowed for the call.
/// - first: the index of the first picture that is encoded.
/// - quantizer: the constant rate factor of the encoder.
/// - group: filled with CVIDEO_OK. The caller owns its members and frees them with cvideo_group_free.
/// - message: on failure, a terminated text without a full stop.
/// - Returns: CVIDEO_OK; CVIDEO_FAILED when there is no such encoder, when a picture cannot be decoded, when the
///   new bytes are more than 128 MiB, and when out of memory.
cvideo_result cvideo_group_encode(const cvideo_track *_Nonnull track, const cvideo_group_sample *_Nonnull samples,
                                  size_t count, const uint8_t *_Nonnull bytes, size_t first, int quantizer,
                                  cvideo_group *_Nonnull group, char message[_Nonnull 160]);

/// Frees the members, except a track that the caller has taken and set to null.
void cvideo_group_free(cvideo_group *_Nonnull group);

#ifdef __cplusplus
}
#endif
#endif
