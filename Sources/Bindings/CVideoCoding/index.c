#include <stdio.h>

#include "CVideoMuxer.h"
#include "container.h"

// One copy of a movie with its index in front.
typedef struct copy {
  const cvideo_format_library *av;
  AVFormatContext *source;
  AVFormatContext *target;
  AVPacket *packet;
  bool (*should_stop)(void *context);
  void *stop_context;
} copy;

static bool must_stop(const copy *copy) {
  return copy->should_stop && copy->should_stop(copy->stop_context);
}

// libavformat asks before each read whether it has to give up.
static int must_interrupt(void *opaque) {
  return must_stop(opaque);
}

// Opens the source. It may end anywhere: its fragments are not looked for in advance, because one that is cut off would
// be an error, and a sample that is cut off is left out.
static int open_source(copy *copy, const char *path) {
  copy->source = copy->av->avformat_alloc_context();
  if (!copy->source) return AVERROR(ENOMEM);
  copy->source->interrupt_callback = (AVIOInterruptCB){.callback = must_interrupt, .opaque = copy};
  copy->source->flags |= AVFMT_FLAG_IGNIDX | AVFMT_FLAG_DISCARD_CORRUPT;
  return copy->av->avformat_open_input(&copy->source, path, NULL, NULL);
}

// Returns a number of bytes that is enough for the index, or a negative error. Reads the indexes of the fragments, and
// no sample.
static int64_t size_of_index(copy *copy, const char *path) {
  const cvideo_format_library *const av = copy->av;
  const int error = open_source(copy, path);
  if (error < 0) return error;
  for (unsigned i = 0; i < copy->source->nb_streams; i++) copy->source->streams[i]->discard = AVDISCARD_ALL;
  while (av->av_read_frame(copy->source, copy->packet) >= 0) av->av->av_packet_unref(copy->packet);
  if (must_stop(copy)) return AVERROR_EXIT;
  int64_t size = 4096;
  for (unsigned i = 0; i < copy->source->nb_streams; i++) {
    const AVStream *const stream = copy->source->streams[i];
    // At worst a sample has an entry in every table: 8 bytes each for its duration, for the offset of its chunk, and
    // for the difference of its two times; 12 for its chunk; 4 each for its size and for being a key frame.
    size += 4096 + stream->codecpar->extradata_size + (int64_t)av->avformat_index_get_entries_count(stream) * 44;
  }
  av->avformat_close_input(&copy->source);
  return size;
}

static int open_target(copy *copy, cvideo_container container, const char *path, int64_t size_of_index) {
  const cvideo_format_library *const av = copy->av;
  int error = av->avformat_alloc_output_context2(&copy->target, NULL, cvideo_container_name(container), path);
  for (unsigned i = 0; i < copy->source->nb_streams && error >= 0; i++) {
    const AVStream *const stream = copy->source->streams[i];
    error = cvideo_add_stream(av, copy->target, container, stream->codecpar, cvideo_display_matrix(av, stream));
    if (error >= 0) copy->target->streams[i]->time_base = copy->source->streams[i]->time_base;
  }
  if (error >= 0) error = av->avio_open(&copy->target->pb, path, AVIO_FLAG_WRITE);
  if (error < 0) return error;
  const AVDictionaryEntry *const time = av->av->av_dict_get(copy->source->metadata, "creation_time", NULL, 0);
  if (time) av->av->av_dict_set(&copy->target->metadata, "creation_time", time->value, 0);
  char size[24];
  snprintf(size, sizeof size, "%lld", (long long)size_of_index);
  AVDictionary *options = NULL;
  av->av->av_dict_set(&options, "moov_size", size, 0);
  cvideo_count_edits_in_ticks(av, &options);
  error = av->avformat_write_header(copy->target, &options);
  av->av->av_dict_free(&options);
  return error;
}

// The duration of a sample, which libavformat does not tell for fragments. Only that of the last sample counts: the
// others last until the next one.
static int64_t duration(const copy *copy, AVStream *stream, int64_t time) {
  const AVIndexEntry *const next = copy->av->avformat_index_get_entry_from_timestamp(stream, time + 1, AVSEEK_FLAG_ANY);
  const int64_t duration = (next ? next->timestamp : stream->duration) - time;
  return duration > 0 && duration <= INT32_MAX ? duration : 0;
}

// Copies the next sample. Returns 0, or a negative error.
static int copy_sample(copy *copy) {
  const cvideo_format_library *const av = copy->av;
  int error = av->av_read_frame(copy->source, copy->packet);
  // This is the index of a fragment that is cut off.
  if (error == AVERROR_INVALIDDATA) return AVERROR_EOF;
  if (error < 0) return error;
  const int index = copy->packet->stream_index;
  copy->packet->duration = duration(copy, copy->source->streams[index], copy->packet->dts);
  av->av->av_packet_rescale_ts(copy->packet, copy->source->streams[index]->time_base,
                               copy->target->streams[index]->time_base);
  copy->packet->pos = -1;
  error = av->av_interleaved_write_frame(copy->target, copy->packet);
  return error < 0 ? error : copy->target->pb->error;
}

static int copy_movie(copy *copy, cvideo_container container, const char *source, const char *target) {
  const cvideo_format_library *const av = copy->av;
  const int64_t size = size_of_index(copy, source);
  if (size < 0) return (int)size;
  int error = open_source(copy, source);
  if (error < 0) return error;
  error = open_target(copy, container, target, size);
  while (error >= 0) {
    if (must_stop(copy)) return AVERROR_EXIT;
    error = copy_sample(copy);
  }
  if (error != AVERROR_EOF) return error;
  error = av->av_write_trailer(copy->target);
  if (error >= 0) av->avio_flush(copy->target->pb);
  return error < 0 ? error : copy->target->pb->error;
}

cvideo_result cvideo_index_movie(cvideo_container container, const char *source, const char *target,
                                 bool (*should_stop)(void *stop_context), void *stop_context, int *error_number,
                                 char message[160]) {
  copy copy = {.av = cvideo_format_library_load(), .should_stop = should_stop, .stop_context = stop_context};
  *error_number = 0;
  if (!copy.av) {
    snprintf(message, 160, "libavformat.so.%d is not installed", LIBAVFORMAT_VERSION_MAJOR);
    return CVIDEO_FAILED;
  }
  copy.packet = copy.av->av->av_packet_alloc();
  int error = copy.packet ? copy_movie(&copy, container, source, target) : AVERROR(ENOMEM);
  copy.av->av->av_packet_free(&copy.packet);
  copy.av->avformat_close_input(&copy.source);
  if (copy.target) {
    const int closing = copy.av->avio_closep(&copy.target->pb);
    if (error >= 0) error = closing;
    copy.av->avformat_free_context(copy.target);
  }
  if (error >= 0) return CVIDEO_OK;
  if (error == AVERROR_EXIT) return CVIDEO_STOPPED;
  // libavformat's own errors are four letters, and the system's are small numbers.
  if (error > -4096) *error_number = -error;
  copy.av->av->av_strerror(error, message, 160);
  return CVIDEO_FAILED;
}
