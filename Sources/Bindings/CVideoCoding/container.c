#include "container.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "CVideoMovie.h"

const char *cvideo_container_name(cvideo_container container) {
  static const char *const names[] = {
      [CVIDEO_MP4] = "mp4", [CVIDEO_MOV] = "mov", [CVIDEO_MATROSKA] = "matroska", [CVIDEO_MPEG_TS] = "mpegts"};
  return names[container];
}

int cvideo_add_stream(const cvideo_format_library *av, AVFormatContext *movie, cvideo_container container,
                      const AVCodecParameters *parameters, const int32_t *display_matrix) {
  AVStream *const stream = av->avformat_new_stream(movie, NULL);
  if (!stream) return AVERROR(ENOMEM);
  const int error = av->av->avcodec_parameters_copy(stream->codecpar, parameters);
  if (error < 0) return error;
  const bool is_quicktime = container == CVIDEO_MP4 || container == CVIDEO_MOV;
  if (parameters->codec_id == AV_CODEC_ID_HEVC && is_quicktime) {
    // Apple's players take HEVC only by this name, which says that the parameter sets are in the track. A track whose
    // samples have some has the other name already.
    if (parameters->codec_tag != MKTAG('h', 'e', 'v', '1')) stream->codecpar->codec_tag = MKTAG('h', 'v', 'c', '1');
  } else if (parameters->codec_id != AV_CODEC_ID_PRORES) {
    // libavformat chooses the name of the codec. The name of ProRes tells its profile, and stays.
    stream->codecpar->codec_tag = 0;
  }
  // Matroska and MPEG-TS replace this by their own.
  stream->time_base = (AVRational){1, CVIDEO_TICKS_PER_SECOND};
  if (!display_matrix) return 0;
  const size_t size = 9 * sizeof *display_matrix;
  uint8_t *const data = av->av_stream_new_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, size);
  if (!data) return AVERROR(ENOMEM);
  memcpy(data, display_matrix, size);
  return 0;
}

const int32_t *cvideo_display_matrix(const cvideo_format_library *av, const AVStream *stream) {
  size_t size = 0;
  const uint8_t *const data = av->av_stream_get_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, &size);
  return data && size >= 9 * sizeof(int32_t) ? (const int32_t *)data : NULL;
}

int cvideo_open_movie(const cvideo_format_library *av, AVFormatContext **movie, cvideo_container container,
                      const char *path) {
  *movie = av->avformat_alloc_context();
  if (!*movie) return AVERROR(ENOMEM);
  // Without AVFMT_FLAG_IGNIDX, libavformat looks for all fragments in advance, and a damaged one would be an error.
  (*movie)->flags |= AVFMT_FLAG_IGNIDX | AVFMT_FLAG_DISCARD_CORRUPT;
  // The format is not guessed: a short file would not be recognised, and a file that somebody put in the place of the
  // movie could be a playlist that names other files.
  const AVInputFormat *const format = av->av_find_input_format(cvideo_container_name(container));
  return format ? av->avformat_open_input(movie, path, format, NULL) : AVERROR_DEMUXER_NOT_FOUND;
}

void cvideo_count_edits_in_ticks(const cvideo_format_library *av, AVDictionary **options) {
  char text[16];
  snprintf(text, sizeof text, "%d", CVIDEO_TICKS_PER_SECOND);
  av->av->av_dict_set(options, "movie_timescale", text, 0);
}

int64_t cvideo_picture_time(int64_t nanoseconds, AVRational unit) {
  const __int128 numerator = (__int128)nanoseconds * unit.den, denominator = (__int128)CVIDEO_NANOSECONDS * unit.num;
  const __int128 up = numerator > 0 ? denominator - 1 : 0;
  return (int64_t)((numerator + up) / denominator);
}

bool cvideo_format_time(int64_t microseconds, char *text, size_t count) {
  const time_t seconds = (time_t)(microseconds / 1000000);
  struct tm parts;
  char date[32];
  if (microseconds <= 0 || !gmtime_r(&seconds, &parts)) return false;
  strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &parts);
  snprintf(text, count, "%s.%06dZ", date, (int)(microseconds % 1000000));
  return true;
}
