// Parameter sets of H.264 and HEVC in the tracks of MP4. This header is private to the module.
#ifndef CVIDEOCODING_PARAMETER_SETS_H
#define CVIDEOCODING_PARAMETER_SETS_H

#include "track.h"

/// Returns an id that neither a sequence parameter set nor a picture parameter set of a track in H.264 has, or -1.
int cvideo_free_set_id(const cvideo_track *track);

/// Makes the track of samples of an old track and of others, which have parameter sets with other ids.
///
/// - sets, count: the parameter sets of the other samples in annex B: one of each kind.
/// - Returns: the track, which the caller owns; null when the old track is not as in MP4, and when out of memory.
cvideo_track *cvideo_track_with_sets(const cvideo_track *track, const uint8_t *sets, size_t count);

/// Makes the track of HEVC whose samples have parameter sets of their own.
///
/// - Returns: the track, which the caller owns; null when the old track is not as in MP4, and when out of memory.
cvideo_track *cvideo_track_with_sets_in_samples(const cvideo_track *track);

/// Copies the parameter sets of a track in HEVC as samples in MP4 have them.
///
/// - target: null only counts.
/// - Returns: the number of bytes; 0 when the track is not as in MP4.
size_t cvideo_copy_sets(const cvideo_track *track, uint8_t *target);

/// Returns the first start code at or after a byte of annex B, or the end.
const uint8_t *cvideo_start_code(const uint8_t *byte, const uint8_t *end);

/// Returns the end of a unit of annex B: where the zeros before the next start code begin.
const uint8_t *cvideo_unit_end(const uint8_t *unit, const uint8_t *next);

#endif
