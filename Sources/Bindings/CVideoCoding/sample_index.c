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
  if (stream->codecpar->codec_type == AVMEDIA_TYPE_VIDEO) return CVIDEO_NANOSECONDS;
  return stream->codecpar->sample_rate;
}

// Copies what a file tells once about the samples of a stream. Returns null when out of memory.
static cvideo_track *track_of(const cvideo_format_library *av, AVStream *stream) {
  cvideo_track *const track = cvideo_track_allocate(av->av);
  if (!track) return NULL;
  if (av->av->avcodec_parameters_copy(track->parameters, stream->codecpar) < 0) {
    cvideo_track_destroy(track);
    return NULL;
  }
  // libavformat estimates it in another way for a movie in fragments than for one with its index in front, and a movie
  // of the same samples must have the same header.
  track->parameters->bit_rate = 0;
  const int32_t *const matrix = cvideo_display_matrix(av, stream);
  if (matrix) {
    track->is_turned = true;
    memcpy(track->display_matrix, matrix, sizeof track->display_matrix);
  }
  return track;
}

// Copies what libavformat found of a track to the index. Returns 0, or a negative error.
static int fill(const cvideo_format_library *av, AVStream *stream, int64_t size, cvideo_indexed_track *index) {
  const int count = av->avformat_index_get_entries_count(stream);
  index->track = track_of(av, stream);
  index->samples = malloc((size_t)(count > 0 ? count : 1) * sizeof *index->samples);
  if (!index->track || !index->samples) return AVERROR(ENOMEM);
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

// Finds the first track of pictures, and the tracks of sound. Returns their number, or 0 without pictures.
static int find_tracks(const AVFormatContext *movie, AVStream *streams[CVIDEO_MAXIMUM_TRACKS]) {
  int count = 1;
  streams[0] = NULL;
  for (unsigned i = 0; i < movie->nb_streams; i++) {
    AVStream *const stream = movie->streams[i];
    const enum AVMediaType type = stream->codecpar->codec_type;
    if (type == AVMEDIA_TYPE_VIDEO && !streams[0]) streams[0] = stream;
    if (type == AVMEDIA_TYPE_AUDIO && stream->codecpar->sample_rate > 0 && count < CVIDEO_MAXIMUM_TRACKS)
      streams[count++] = stream;
  }
  return streams[0] ? count : 0;
}

// Copies the first track of pictures, and the tracks of sound. Returns 0, or a negative error.
static int fill_all(const cvideo_format_library *av, const AVFormatContext *movie, int64_t size,
                    cvideo_sample_index *index) {
  AVStream *streams[CVIDEO_MAXIMUM_TRACKS];
  const int count = find_tracks(movie, streams);
  if (count == 0) return AVERROR_STREAM_NOT_FOUND;
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

// Goes on with the FNV-1a hash of 64 bits (http://www.isthe.com/chongo/tech/comp/fnv/).
static uint64_t hash(uint64_t hash, const void *bytes, size_t count) {
  for (size_t i = 0; i < count; i++) hash = (hash ^ ((const uint8_t *)bytes)[i]) * 0x100000001b3;
  return hash;
}

// The number must be the same on machines of both byte orders.
static uint64_t hash_number(uint64_t former, int64_t number) {
  uint8_t bytes[8];
  for (int i = 0; i < 8; i++) bytes[i] = (uint8_t)((uint64_t)number >> 8 * i);
  return hash(former, bytes, sizeof bytes);
}

uint64_t cvideo_track_digest(const cvideo_track *track) {
  const AVCodecParameters *const parameters = track->parameters;
  const int64_t numbers[] = {
      track->is_turned,           parameters->codec_id,    parameters->codec_tag,
      parameters->width,          parameters->height,      parameters->color_range,
      parameters->color_space,    parameters->sample_rate, parameters->ch_layout.nb_channels,
      parameters->extradata_size,
  };
  uint64_t digest = 0xcbf29ce484222325;
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) digest = hash_number(digest, numbers[i]);
  for (int i = 0; i < 9 && track->is_turned; i++) digest = hash_number(digest, track->display_matrix[i]);
  return hash(digest, parameters->extradata, (size_t)parameters->extradata_size);
}

static int digest_all(const cvideo_format_library *av, const AVFormatContext *movie,
                      uint64_t digests[CVIDEO_MAXIMUM_TRACKS], int *count) {
  AVStream *streams[CVIDEO_MAXIMUM_TRACKS];
  const int found = find_tracks(movie, streams);
  if (found == 0) return AVERROR_STREAM_NOT_FOUND;
  for (int i = 0; i < found; i++) {
    cvideo_track *const track = track_of(av, streams[i]);
    if (!track) return AVERROR(ENOMEM);
    digests[i] = cvideo_track_digest(track);
    cvideo_track_destroy(track);
  }
  *count = found;
  return 0;
}

cvideo_result cvideo_read_digests(cvideo_container container, const char *path, uint64_t digests[CVIDEO_MAXIMUM_TRACKS],
                                  int *count, char message[160]) {
  const cvideo_format_library *const av = cvideo_format_library_load();
  *count = 0;
  if (!av) {
    snprintf(message, 160, "libavformat.so.%d is not installed", LIBAVFORMAT_VERSION_MAJOR);
    return CVIDEO_FAILED;
  }
  AVFormatContext *movie = NULL;
  int error = cvideo_open_movie(av, &movie, container, path);
  if (error >= 0) error = digest_all(av, movie, digests, count);
  if (error < 0) av->av->av_strerror(error, message, 160);
  av->avformat_close_input(&movie);
  return error >= 0 ? CVIDEO_OK : CVIDEO_FAILED;
}
