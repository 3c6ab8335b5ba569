#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CVideoExport.h"
#include "CVideoMovie.h"
#include "container.h"
#include "track.h"

// One run of libavformat's muxer over samples without bytes. It keeps what is written before the first sample.
typedef struct writing {
  const cvideo_format_library *av;
  AVFormatContext *movie;
  AVIOContext *output;
  AVPacket *packet;
  uint8_t *header;
  size_t capacity;
  int64_t offset;        // where the next byte goes
  int64_t size;          // of the file
  int64_t sample_start;  // the offset of the first sample; INT64_MAX until it is known
} writing;

enum { BUFFER_SIZE = 64 << 10, MAXIMUM_HEADER = 1 << 30 };

static int write_bytes(void *opaque, uint8_t *bytes, int count) {
  writing *const writing = opaque;
  int64_t end = writing->offset + count;
  if (end > writing->size) writing->size = end;
  const int64_t start = writing->offset;
  writing->offset = end;
  if (end > writing->sample_start) end = writing->sample_start;
  if (start >= end) return count;
  if (end > MAXIMUM_HEADER) return AVERROR(ENOMEM);
  if ((size_t)end > writing->capacity) {
    const size_t capacity = (size_t)end + BUFFER_SIZE;
    uint8_t *const header = realloc(writing->header, capacity);
    if (!header) return AVERROR(ENOMEM);
    memset(header + writing->capacity, 0, capacity - writing->capacity);
    writing->header = header;
    writing->capacity = capacity;
  }
  memcpy(writing->header + start, bytes, (size_t)(end - start));
  return count;
}

static int64_t seek(void *opaque, int64_t offset, int whence) {
  writing *const writing = opaque;
  if (whence == AVSEEK_SIZE) return writing->size;
  if (whence != SEEK_SET) return AVERROR(ENOSYS);
  return writing->offset = offset;
}

// The movie that is made.
typedef struct plan {
  cvideo_container container;
  const cvideo_track *const *tracks;
  int track_count;
  const cvideo_placed_sample *samples;
  size_t count;
  int64_t creation_time;
  int ticks_per_second;
} plan;

// Returns the unit in which the movie counts the times of its pictures. libavformat takes no sample that lasts more
// than INT_MAX ticks, so a movie with a gap of more than 35 minutes counts 90 kHz, which is enough for 6.6 hours.
static int unit_for(const cvideo_placed_sample *samples, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const bool is_picture = samples[i].track == 0;
    if (is_picture && samples[i].duration >= (int64_t)INT_MAX * (CVIDEO_NANOSECONDS / CVIDEO_TICKS_PER_SECOND))
      return 90000;
  }
  return CVIDEO_TICKS_PER_SECOND;
}

static int open_output(writing *writing, const plan *plan) {
  const cvideo_format_library *const av = writing->av;
  int error = av->avformat_alloc_output_context2(&writing->movie, NULL, cvideo_container_name(plan->container), NULL);
  for (int i = 0; i < plan->track_count && error >= 0; i++) {
    const cvideo_track *const track = plan->tracks[i];
    error = cvideo_add_stream(av, writing->movie, plan->container, track->parameters, cvideo_track_matrix(track));
    if (error >= 0) writing->movie->streams[i]->time_base = (AVRational){1, plan->ticks_per_second};
  }
  if (error < 0) return error;
  uint8_t *buffer = av->av->av_malloc(BUFFER_SIZE);
  writing->packet = av->av->av_packet_alloc();
  if (buffer) writing->output = av->avio_alloc_context(buffer, BUFFER_SIZE, 1, writing, NULL, write_bytes, seek);
  if (!writing->output) av->av->av_freep(&buffer);
  if (!writing->output || !writing->packet) return AVERROR(ENOMEM);
  writing->output->seekable = AVIO_SEEKABLE_NORMAL;
  // The samples are not copied to the buffer.
  writing->output->direct = AVIO_FLAG_DIRECT;
  writing->movie->pb = writing->output;
  writing->movie->flags |= AVFMT_FLAG_CUSTOM_IO;
  // A sample before the time 0 makes the muxer write an edit list that hides it.
  writing->movie->avoid_negative_ts = AVFMT_AVOID_NEG_TS_DISABLED;
  return 0;
}

static int begin(writing *writing, int64_t reserved, int64_t creation_time) {
  const cvideo_format_library *const av = writing->av;
  char text[48];
  if (cvideo_format_time(creation_time, text, sizeof text)) {
    av->av->av_dict_set(&writing->movie->metadata, "creation_time", text, 0);
  }
  AVDictionary *options = NULL;
  cvideo_count_edits_in_ticks(av, &options);
  av->av->av_dict_set(&options, "use_editlist", "1", 0);
  if (reserved > 0) {
    snprintf(text, sizeof text, "%lld", (long long)reserved);
    av->av->av_dict_set(&options, "moov_size", text, 0);
  }
  const int error = av->avformat_write_header(writing->movie, &options);
  av->av->av_dict_free(&options);
  if (error < 0) return error;
  av->avio_flush(writing->output);
  writing->sample_start = writing->offset;
  return writing->output->error;
}

// Runs the muxer. With room reserved for it, the index comes in front.
static int run(writing *writing, const plan *plan, int64_t reserved, const uint8_t *zeros) {
  const cvideo_format_library *const av = writing->av;
  writing->sample_start = INT64_MAX;
  int error = open_output(writing, plan);
  if (error >= 0) error = begin(writing, reserved, plan->creation_time);
  for (size_t i = 0; i < plan->count && error >= 0; i++) {
    const cvideo_placed_sample *const sample = &plan->samples[i];
    AVPacket *const packet = writing->packet;
    packet->stream_index = sample->track;
    packet->data = (uint8_t *)zeros;
    packet->size = (int)sample->count;
    packet->flags = sample->is_key_frame ? AV_PKT_FLAG_KEY : 0;
    packet->pts = packet->dts = sample->time;
    packet->duration = sample->duration;
    const AVStream *const stream = writing->movie->streams[sample->track];
    if (stream->codecpar->codec_type == AVMEDIA_TYPE_VIDEO) {
      packet->pts = packet->dts = cvideo_picture_time(sample->time, stream->time_base);
      packet->duration = cvideo_picture_time(sample->time + sample->duration, stream->time_base) - packet->pts;
    }
    error = av->av_write_frame(writing->movie, packet);
    av->av->av_packet_unref(packet);
  }
  if (error >= 0) error = av->av_write_trailer(writing->movie);
  if (error >= 0) av->avio_flush(writing->output);
  return error >= 0 && writing->output->error < 0 ? writing->output->error : error;
}

static void end(writing *writing) {
  const cvideo_format_library *const av = writing->av;
  // libavformat may still write while it frees a movie that was not finished.
  if (writing->output) writing->output->error = AVERROR_EXIT;
  if (writing->movie) av->avformat_free_context(writing->movie);
  if (writing->output) av->av->av_freep(&writing->output->buffer);
  av->avio_context_free(&writing->output);
  av->av->av_packet_free(&writing->packet);
}

uint8_t *cvideo_movie_header(cvideo_container container, const cvideo_track *const *tracks, int track_count,
                             const cvideo_placed_sample *samples, size_t count, int64_t creation_time,
                             size_t *header_count, char message[160]) {
  const plan plan = {container, tracks, track_count, samples, count, creation_time, unit_for(samples, count)};
  const cvideo_format_library *const av = cvideo_format_library_load();
  if (!av) {
    snprintf(message, 160, "libavformat.so.%d is not installed", LIBAVFORMAT_VERSION_MAJOR);
    return NULL;
  }
  int64_t largest = 0, total = 0;
  for (size_t i = 0; i < count; i++) {
    if (samples[i].count > largest) largest = samples[i].count;
    total += samples[i].count;
  }
  // The muxer never looks into the samples, so the pages of this memory are never touched.
  uint8_t *const zeros = calloc(1, (size_t)largest + AV_INPUT_BUFFER_PADDING_SIZE);
  // The first run tells how large the index is, and the second one puts it in front.
  writing first = {.av = av}, second = {.av = av};
  int error = zeros ? run(&first, &plan, 0, zeros) : AVERROR(ENOMEM);
  // Only sizes are needed of the first run, and the second one takes as much memory.
  end(&first);
  if (error >= 0) {
    int64_t reserved = first.size - first.sample_start - total;
    // A box of at least 8 bytes takes the room that remains. Offsets beyond 4 GiB have 4 more bytes each.
    reserved += 16 + (first.size + reserved > 4000000000 ? 4 * (int64_t)count : 0);
    error = run(&second, &plan, reserved, zeros);
    if (error >= 0 && second.size != second.sample_start + total) error = AVERROR_BUG;
  }
  end(&second);
  free(first.header);
  free(zeros);
  if (error >= 0) {
    *header_count = (size_t)second.sample_start;
    return second.header;
  }
  free(second.header);
  av->av->av_strerror(error, message, 160);
  return NULL;
}
