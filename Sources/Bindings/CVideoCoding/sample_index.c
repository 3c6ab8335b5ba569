#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CVideoExport.h"
#include "CVideoMovie.h"
#include "container.h"
#include "track.h"

// Converts a time of a stream to units of which so many are in a second, to the nearest.
static int64_t units(int64_t time, AVRational base, int64_t units_per_second) {
  const __int128 numerator = (__int128)time * base.num * units_per_second;
  return (int64_t)((numerator + (numerator < 0 ? -base.den / 2 : base.den / 2)) / base.den);
}

// The number of a time's units in a second that an index has.
static int64_t unit_of(const AVStream *stream) {
  if (stream->codecpar->codec_type == AVMEDIA_TYPE_VIDEO) return CVIDEO_TICKS_PER_SECOND;
  return stream->codecpar->sample_rate;
}

// Copies what libavformat found of a track to the index. Returns 0, or a negative error.
static int fill(const cvideo_format_library *av, AVStream *stream, int64_t size, cvideo_indexed_track *index) {
  const int count = av->avformat_index_get_entries_count(stream);
  index->track = cvideo_track_allocate(av->av);
  index->samples = malloc((size_t)(count > 0 ? count : 1) * sizeof *index->samples);
  if (!index->track || !index->samples) return AVERROR(ENOMEM);
  const int error = av->av->avcodec_parameters_copy(index->track->parameters, stream->codecpar);
  if (error < 0) return error;
  // libavformat estimates it in another way for a movie in fragments than for one with its index in front, and a movie
  // of the same samples must have the same header.
  index->track->parameters->bit_rate = 0;
  const int32_t *const matrix = cvideo_display_matrix(av, stream);
  if (matrix) {
    index->track->is_turned = true;
    memcpy(index->track->display_matrix, matrix, sizeof index->track->display_matrix);
  }
  const int64_t unit = index->units_per_second = unit_of(stream);
  int64_t end = stream->duration;
  for (int i = 0; i < count; i++) {
    const AVIndexEntry *const entry = av->avformat_index_get_entry(stream, i);
    if (entry->pos < 0 || entry->size <= 0 || entry->pos > size - entry->size) {
      end = entry->timestamp;
      break;
    }
    index->samples[index->count++] = (cvideo_placed_sample){.offset = entry->pos,
                                                            .time = units(entry->timestamp, stream->time_base, unit),
                                                            .count = (uint32_t)entry->size,
                                                            .is_key_frame = entry->flags & AVINDEX_KEYFRAME};
  }
  if (index->count == 0) return 0;
  index->end_time = units(end, stream->time_base, unit);
  const int64_t last = index->samples[index->count - 1].time;
  if (index->end_time <= last) index->end_time = last + 1;
  return 0;
}

// Copies the first track of pictures, and the tracks of sound. Returns 0, or a negative error.
static int fill_all(const cvideo_format_library *av, const AVFormatContext *movie, int64_t size,
                    cvideo_sample_index *index) {
  AVStream *streams[CVIDEO_MAXIMUM_TRACKS] = {NULL};
  int count = 1;
  for (unsigned i = 0; i < movie->nb_streams; i++) {
    AVStream *const stream = movie->streams[i];
    const enum AVMediaType type = stream->codecpar->codec_type;
    if (type == AVMEDIA_TYPE_VIDEO && !streams[0]) streams[0] = stream;
    if (type == AVMEDIA_TYPE_AUDIO && stream->codecpar->sample_rate > 0 && count < CVIDEO_MAXIMUM_TRACKS)
      streams[count++] = stream;
  }
  if (!streams[0]) return AVERROR_STREAM_NOT_FOUND;
  index->track_count = count;
  int error = 0;
  for (int i = 0; i < count && error >= 0; i++) error = fill(av, streams[i], size, &index->tracks[i]);
  return error;
}

cvideo_result cvideo_sample_index_read(cvideo_container container, const char *path, int64_t size,
                                       cvideo_sample_index *index, char message[160]) {
  const cvideo_format_library *const av = cvideo_format_library_load();
  *index = (cvideo_sample_index){0};
  if (!av) {
    snprintf(message, 160, "libavformat.so.%d is not installed", LIBAVFORMAT_VERSION_MAJOR);
    return CVIDEO_FAILED;
  }
  AVFormatContext *movie = NULL;
  AVPacket *packet = av->av->av_packet_alloc();
  int error = packet ? cvideo_open_movie(av, &movie, container, path) : AVERROR(ENOMEM);
  if (error >= 0) {
    // Without a track to read, libavformat goes from the index of one fragment to that of the next.
    for (unsigned i = 0; i < movie->nb_streams; i++) movie->streams[i]->discard = AVDISCARD_ALL;
    while (av->av_read_frame(movie, packet) >= 0) av->av->av_packet_unref(packet);
    error = fill_all(av, movie, size, index);
  }
  if (error < 0) {
    av->av->av_strerror(error, message, 160);
    cvideo_sample_index_free(index);
  }
  av->av->av_packet_free(&packet);
  av->avformat_close_input(&movie);
  return error >= 0 ? CVIDEO_OK : CVIDEO_FAILED;
}

void cvideo_sample_index_free(cvideo_sample_index *index) {
  for (int i = 0; i < index->track_count; i++) {
    if (index->tracks[i].track) cvideo_track_destroy(index->tracks[i].track);
    free(index->tracks[i].samples);
  }
  *index = (cvideo_sample_index){0};
}

bool cvideo_track_equals(const cvideo_track *track, const cvideo_track *other) {
  const AVCodecParameters *const one = track->parameters, *const two = other->parameters;
  if (track->is_turned != other->is_turned) return false;
  if (track->is_turned && memcmp(track->display_matrix, other->display_matrix, sizeof track->display_matrix) != 0) {
    return false;
  }
  return one->codec_id == two->codec_id && one->codec_tag == two->codec_tag && one->width == two->width &&
         one->height == two->height && one->color_range == two->color_range && one->color_space == two->color_space &&
         one->sample_rate == two->sample_rate && one->ch_layout.nb_channels == two->ch_layout.nb_channels &&
         one->extradata_size == two->extradata_size &&
         (one->extradata_size == 0 || memcmp(one->extradata, two->extradata, (size_t)one->extradata_size) == 0);
}
