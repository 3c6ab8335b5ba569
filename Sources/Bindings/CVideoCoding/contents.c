#include <stdio.h>

#include "CVideoMuxer.h"
#include "container.h"
#include "format_library.h"

// An open movie, and what the packets that were read so far tell of it. Times are in the time base of the stream.
typedef struct reading {
  const cvideo_format_library *av;
  AVFormatContext *movie;
  AVPacket *packet;
  int64_t count;
  int64_t first;
  int64_t newest;
  int64_t end;
} reading;

static const AVStream *video(const AVFormatContext *movie) {
  for (unsigned i = 0; i < movie->nb_streams; i++) {
    if (movie->streams[i]->codecpar->codec_type == AVMEDIA_TYPE_VIDEO) return movie->streams[i];
  }
  return NULL;
}

// Reads the indexes of the fragments, and no sample.
static void read_index(reading *reading) {
  for (unsigned i = 0; i < reading->movie->nb_streams; i++) reading->movie->streams[i]->discard = AVDISCARD_ALL;
  while (reading->av->av_read_frame(reading->movie, reading->packet) >= 0) {
    reading->av->av->av_packet_unref(reading->packet);
  }
  const AVStream *const stream = video(reading->movie);
  if (!stream) return;
  reading->count = reading->av->avformat_index_get_entries_count(stream);
  reading->end = reading->count > 0 && stream->duration > 0 ? stream->duration : 0;
}

// Reads all samples. The last one lasts as long as the one before it when the file does not tell.
static void read_samples(reading *reading) {
  AVPacket *const packet = reading->packet;
  while (reading->av->av_read_frame(reading->movie, packet) >= 0) {
    const AVStream *const stream = reading->movie->streams[packet->stream_index];
    if (stream == video(reading->movie)) {
      const int64_t time = packet->pts != AV_NOPTS_VALUE ? packet->pts : packet->dts;
      if (time != AV_NOPTS_VALUE) {
        if (reading->count == 0) reading->first = reading->newest = time;
        const int64_t duration = packet->duration > 0 ? packet->duration : time - reading->newest;
        if (time + duration > reading->end) reading->end = time + duration;
        reading->newest = time;
      }
      reading->count++;
    }
    reading->av->av->av_packet_unref(packet);
  }
}

cvideo_result cvideo_read_contents(cvideo_container container, const char *path, int64_t *sample_count,
                                   int64_t *duration, char message[160]) {
  reading reading = {.av = cvideo_format_library_load()};
  *sample_count = *duration = 0;
  if (!reading.av) {
    snprintf(message, 160, "libavformat.so.%d is not installed", LIBAVFORMAT_VERSION_MAJOR);
    return CVIDEO_FAILED;
  }
  const bool has_index = container == CVIDEO_MP4 || container == CVIDEO_MOV;
  reading.packet = reading.av->av->av_packet_alloc();
  int error = reading.packet ? cvideo_open_movie(reading.av, &reading.movie, container, path) : AVERROR(ENOMEM);
  if (error >= 0) {
    has_index ? read_index(&reading) : read_samples(&reading);
    const AVStream *const stream = video(reading.movie);
    *sample_count = reading.count;
    if (stream && reading.end > reading.first) {
      *duration = (int64_t)((__int128)(reading.end - reading.first) * stream->time_base.num * 1000000000 /
                            stream->time_base.den);
    }
  } else {
    reading.av->av->av_strerror(error, message, 160);
  }
  reading.av->av->av_packet_free(&reading.packet);
  reading.av->avformat_close_input(&reading.movie);
  return error >= 0 ? CVIDEO_OK : CVIDEO_FAILED;
}
