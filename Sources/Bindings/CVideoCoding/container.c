#include "container.h"

#include "CVideoMovie.h"

const char *cvideo_container_name(cvideo_container container) {
  static const char *const names[] = {
      [CVIDEO_MP4] = "mp4", [CVIDEO_MOV] = "mov", [CVIDEO_MATROSKA] = "matroska", [CVIDEO_MPEG_TS] = "mpegts"};
  return names[container];
}

int cvideo_add_stream(const cvideo_format_library *av, AVFormatContext *movie, cvideo_container container,
                      const AVCodecParameters *parameters) {
  AVStream *const stream = av->avformat_new_stream(movie, NULL);
  if (!stream) return AVERROR(ENOMEM);
  const int error = av->av->avcodec_parameters_copy(stream->codecpar, parameters);
  if (error < 0) return error;
  const bool is_quicktime = container == CVIDEO_MP4 || container == CVIDEO_MOV;
  if (parameters->codec_id == AV_CODEC_ID_HEVC && is_quicktime) {
    // Apple's players take HEVC only by this name, which says that the parameter sets are in the track.
    stream->codecpar->codec_tag = MKTAG('h', 'v', 'c', '1');
  } else if (parameters->codec_id != AV_CODEC_ID_PRORES) {
    // libavformat chooses the name of the codec. The name of ProRes tells its profile, and stays.
    stream->codecpar->codec_tag = 0;
  }
  // Matroska and MPEG-TS replace this by their own.
  stream->time_base = (AVRational){1, CVIDEO_TICKS_PER_SECOND};
  return 0;
}
