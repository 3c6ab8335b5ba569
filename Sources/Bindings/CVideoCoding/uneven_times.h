// Timing in the parameter sets of H.264. This header is private to the module.
#ifndef CVIDEOCODING_UNEVEN_TIMES_H
#define CVIDEOCODING_UNEVEN_TIMES_H

#include <libavcodec/packet.h>

/// Takes the promise that pictures come evenly (`fixed_frame_rate_flag`, ITU-T H.264, E.2.1) out of the sequence
/// parameter set of a coded picture in annex B. Changes nothing when the picture has no such promise.
///
/// - packet: the picture, in memory that the caller alone uses. It may grow by a few bytes of its padding.
/// - rate: the rate that the parameter set names, with which the promise is found.
void cvideo_promise_uneven_times(AVPacket *packet, AVRational rate);

#endif
