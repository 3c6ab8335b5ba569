#include "track.h"

#include <stdlib.h>
#include <string.h>

#include "frames.h"
#include "parameter_sets.h"

cvideo_track *cvideo_track_allocate(const cvideo_library *av) {
  cvideo_track *track = calloc(1, sizeof *track);
  if (!track) return NULL;
  track->av = av;
  track->parameters = av->avcodec_parameters_alloc();
  if (track->parameters) return track;
  free(track);
  return NULL;
}

cvideo_track *cvideo_track_turned(const cvideo_track *track, const int32_t matrix[9]) {
  cvideo_track *const turned = cvideo_track_allocate(track->av);
  if (!turned) return NULL;
  if (track->av->avcodec_parameters_copy(turned->parameters, track->parameters) < 0) {
    cvideo_track_destroy(turned);
    return NULL;
  }
  turned->is_turned = true;
  memcpy(turned->display_matrix, matrix, sizeof turned->display_matrix);
  return turned;
}

void cvideo_track_destroy(cvideo_track *track) {
  track->av->avcodec_parameters_free(&track->parameters);
  free(track);
}

// Returns whether a NAL unit is a parameter set (ITU-T H.264, table 7-1; ITU-T H.265, table 7-1).
static bool is_parameter_set(enum AVCodecID codec, uint8_t header) {
  if (codec == AV_CODEC_ID_H264) return (header & 0x1f) == 7 || (header & 0x1f) == 8;
  return (header >> 1 & 0x3f) >= 32 && (header >> 1 & 0x3f) <= 34;
}

// Writes the parameter sets with their start codes to a target that may be null. Returns the number of bytes.
static size_t copy_parameter_sets(enum AVCodecID codec, const uint8_t *bytes, size_t count, uint8_t *target) {
  const uint8_t *const end = bytes + count;
  size_t written = 0;
  const uint8_t *unit = cvideo_start_code(bytes, end);
  while (end - unit > 3) {
    const uint8_t *const next = cvideo_start_code(unit + 3, end);
    const uint8_t *const last = cvideo_unit_end(unit + 3, next);
    if (is_parameter_set(codec, unit[3])) {
      if (target) {
        target[written] = 0;
        memcpy(target + written + 1, unit, (size_t)(last - unit));
      }
      written += 1 + (size_t)(last - unit);
    }
    unit = next;
  }
  return written;
}

bool cvideo_track_take_parameter_sets(cvideo_track *track, const uint8_t *key_frame, size_t count) {
  AVCodecParameters *const parameters = track->parameters;
  const size_t size = copy_parameter_sets(parameters->codec_id, key_frame, count, NULL);
  if (size == 0) return false;
  parameters->extradata = track->av->av_mallocz(size + AV_INPUT_BUFFER_PADDING_SIZE);
  if (!parameters->extradata) return false;
  parameters->extradata_size = (int)size;
  copy_parameter_sets(parameters->codec_id, key_frame, count, parameters->extradata);
  return true;
}

bool cvideo_track_describes(const cvideo_track *track, const uint8_t *key_frame, size_t count) {
  const AVCodecParameters *const parameters = track->parameters;
  const size_t size = copy_parameter_sets(parameters->codec_id, key_frame, count, NULL);
  if (size != (size_t)parameters->extradata_size) return false;
  uint8_t *const sets = malloc(size);
  if (!sets) return false;
  copy_parameter_sets(parameters->codec_id, key_frame, count, sets);
  const bool is_same = memcmp(sets, parameters->extradata, size) == 0;
  free(sets);
  return is_same;
}

cvideo_track *cvideo_track_create(const cvideo_track_format *format, const uint8_t *key_frame, size_t count) {
  const cvideo_library *const av = cvideo_library_load();
  if (!av || format->codec == CVIDEO_PRORES || format->codec == CVIDEO_FFV1) return NULL;
  cvideo_track *track = cvideo_track_allocate(av);
  if (!track) return NULL;
  AVCodecParameters *const parameters = track->parameters;
  parameters->codec_type = AVMEDIA_TYPE_VIDEO;
  parameters->codec_id = format->codec == CVIDEO_MJPEG  ? AV_CODEC_ID_MJPEG
                         : format->codec == CVIDEO_H264 ? AV_CODEC_ID_H264
                                                        : AV_CODEC_ID_HEVC;
  parameters->width = format->width;
  parameters->height = format->height;
  parameters->color_range = format->is_full_range ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
  parameters->color_space = cvideo_space(format->matrix);
  parameters->color_primaries = cvideo_primaries(format->matrix);
  parameters->color_trc = AVCOL_TRC_BT709;
  if (format->codec == CVIDEO_MJPEG || (key_frame && cvideo_track_take_parameter_sets(track, key_frame, count))) {
    return track;
  }
  cvideo_track_destroy(track);
  return NULL;
}
