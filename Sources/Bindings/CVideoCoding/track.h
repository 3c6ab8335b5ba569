// The inside of tracks. This header is private to the module.
#ifndef CVIDEOCODING_PRIVATE_TRACK_H
#define CVIDEOCODING_PRIVATE_TRACK_H

#include "CVideoTrack.h"
#include "library.h"

struct cvideo_track {
  const cvideo_library *av;
  /// Owned by the track. They include the type of the media.
  AVCodecParameters *parameters;
  bool is_turned;
  /// With is_turned, how players turn the pictures; as in include/CVideoTrack.h.
  int32_t display_matrix[9];
};

/// Makes a track without parameters.
///
/// - Returns: the track, which the caller owns; null when out of memory.
cvideo_track *cvideo_track_allocate(const cvideo_library *av);

/// Copies the parameter sets of a key frame in annex B to the track.
///
/// - Returns: whether there were any, and memory for them.
bool cvideo_track_take_parameter_sets(cvideo_track *track, const uint8_t *key_frame, size_t count);

#endif
