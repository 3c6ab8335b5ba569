// Timing in the parameter sets of H.264. This header is private to the module.
#ifndef CVIDEOCODING_TIMING_H
#define CVIDEOCODING_TIMING_H

#include <libavcodec/packet.h>

/// Writes another rate into the sequence parameter set of a coded picture in annex B, and that pictures need not come
/// evenly (`num_units_in_tick`, `time_scale`, `fixed_frame_rate_flag`; ITU-T H.264, E.2.1). Changes nothing when the
/// set does not name the former rate.
///
/// - packet: the picture, in memory that the caller alone uses. It may grow by a few bytes of its padding.
/// - former: the rate that the set names.
/// - rate: the rate to write, with both parts above 0.
void cvideo_write_timing(AVPacket *packet, AVRational former, AVRational rate);

#endif
