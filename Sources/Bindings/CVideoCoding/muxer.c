#include <stdio.h>
#include <stdlib.h>

#include "CVideoMuxer.h"
#include "container.h"
#include "track.h"

struct cvideo_muxer {
  const cvideo_format_library *av;
  AVFormatContext *movie;
  AVIOContext *output;
  AVPacket *packet;
  int64_t *newest;  // the last decode time of each track, in the unit of the container
  cvideo_sink sink;
  bool is_quicktime;
  bool has_failed;
  char message[160];
};

enum { BUFFER_SIZE = 256 << 10 };

static int write_bytes(void *opaque, uint8_t *bytes, int count) {
  const cvideo_muxer *const muxer = opaque;
  const int error = muxer->sink.write(muxer->sink.context, bytes, (size_t)count);
  return error == 0 ? count : AVERROR(error);
}

static int64_t seek(void *opaque, int64_t offset, int whence) {
  const cvideo_muxer *const muxer = opaque;
  if (whence != SEEK_SET) return AVERROR(ENOSYS);
  const int error = muxer->sink.seek(muxer->sink.context, offset);
  return error == 0 ? offset : AVERROR(error);
}

static int open_output(cvideo_muxer *muxer, cvideo_container container) {
  uint8_t *buffer = muxer->av->av->av_malloc(BUFFER_SIZE);
  if (!buffer) return AVERROR(ENOMEM);
  // The fragments of MP4 are only ever appended, on every sink, so that no failure can harm what was written before.
  const bool can_seek = muxer->sink.seek && container == CVIDEO_MATROSKA;
  AVIOContext *const output = muxer->output =
      muxer->av->avio_alloc_context(buffer, BUFFER_SIZE, 1, muxer, NULL, write_bytes, can_seek ? seek : NULL);
  if (!output) {
    muxer->av->av->av_freep(&buffer);
    return AVERROR(ENOMEM);
  }
  output->seekable = can_seek ? AVIO_SEEKABLE_NORMAL : 0;
  muxer->movie->pb = output;
  muxer->movie->flags |= AVFMT_FLAG_CUSTOM_IO;
  return 0;
}

static void choose(const cvideo_library *av, AVDictionary **options, cvideo_container container, bool can_seek,
                   bool is_endless) {
  switch (container) {
    case CVIDEO_MP4:
    case CVIDEO_MOV:
      // frag_discont, with no edit list, makes a fragment state its time from the start of the movie. Otherwise the
      // time of the first sample would be lost, and a fragment would begin where the one before it ends.
      av->av_dict_set(options, "movflags", "empty_moov+default_base_moof+frag_custom+frag_discont", 0);
      if (is_endless) av->av_dict_set(options, "movflags", "+skip_trailer", AV_DICT_APPEND);
      av->av_dict_set(options, "use_editlist", "0", 0);
      break;
    case CVIDEO_MATROSKA:
      if (!can_seek) av->av_dict_set(options, "live", "1", 0);
      break;
    case CVIDEO_MPEG_TS:
      // The times stay as they are; otherwise the muxer adds a delay.
      av->av_dict_set(options, "mpegts_copyts", "1", 0);
      break;
  }
}

static void set_creation_time(cvideo_muxer *muxer, int64_t microseconds) {
  char text[48];
  if (!cvideo_format_time(microseconds, text, sizeof text)) return;
  muxer->av->av->av_dict_set(&muxer->movie->metadata, "creation_time", text, 0);
}

// Writes what libavformat has buffered, and returns the sink's error if there is one.
static int flush(cvideo_muxer *muxer, int result) {
  if (result >= 0) muxer->av->avio_flush(muxer->output);
  return muxer->output->error < 0 ? muxer->output->error : result;
}

static int begin(cvideo_muxer *muxer, cvideo_container container, const cvideo_track *const *tracks, int count,
                 int64_t creation_time, bool is_endless) {
  const cvideo_format_library *const av = muxer->av;
  int error = av->avformat_alloc_output_context2(&muxer->movie, NULL, cvideo_container_name(container), NULL);
  if (error < 0) return error;
  muxer->packet = av->av->av_packet_alloc();
  muxer->newest = malloc((size_t)count * sizeof *muxer->newest);
  if (!muxer->packet || !muxer->newest) return AVERROR(ENOMEM);
  error = open_output(muxer, container);
  for (int i = 0; i < count && error >= 0; i++) {
    muxer->newest[i] = INT64_MIN;
    error = cvideo_add_stream(av, muxer->movie, container, tracks[i]->parameters, cvideo_track_matrix(tracks[i]));
  }
  if (error < 0) return error;
  muxer->movie->avoid_negative_ts = AVFMT_AVOID_NEG_TS_DISABLED;
  muxer->movie->max_delay = 0;
  set_creation_time(muxer, creation_time);
  AVDictionary *options = NULL;
  choose(av->av, &options, container, muxer->sink.seek != NULL, is_endless);
  error = av->avformat_write_header(muxer->movie, &options);
  av->av->av_dict_free(&options);
  return flush(muxer, error);
}

cvideo_muxer *cvideo_muxer_create(cvideo_container container, const cvideo_track *const *tracks, int track_count,
                                  const cvideo_sink *sink, int64_t creation_time, bool is_endless, char message[160]) {
  const cvideo_format_library *const av = cvideo_format_library_load();
  if (!av) {
    snprintf(message, 160, "libavformat.so.%d is not installed", LIBAVFORMAT_VERSION_MAJOR);
    return NULL;
  }
  cvideo_muxer *muxer = calloc(1, sizeof *muxer);
  if (!muxer) {
    snprintf(message, 160, "out of memory");
    return NULL;
  }
  muxer->av = av;
  muxer->sink = *sink;
  muxer->is_quicktime = container == CVIDEO_MP4 || container == CVIDEO_MOV;
  const int error = begin(muxer, container, tracks, track_count, creation_time, is_endless);
  if (error >= 0) return muxer;
  char reason[96] = "";
  av->av->av_strerror(error, reason, sizeof reason);
  snprintf(message, 160, "%s cannot be written: %s", cvideo_container_name(container), reason);
  cvideo_muxer_destroy(muxer);
  return NULL;
}

void cvideo_muxer_destroy(cvideo_muxer *muxer) {
  const cvideo_format_library *const av = muxer->av;
  // libavformat may still write while it frees a movie that was not finished.
  if (muxer->output) muxer->output->error = AVERROR_EXIT;
  if (muxer->movie) av->avformat_free_context(muxer->movie);
  if (muxer->output) av->av->av_freep(&muxer->output->buffer);
  av->avio_context_free(&muxer->output);
  av->av->av_packet_free(&muxer->packet);
  free(muxer->newest);
  free(muxer);
}

static cvideo_result check(cvideo_muxer *muxer, int result) {
  if (result >= 0) return CVIDEO_OK;
  muxer->has_failed = true;
  muxer->av->av->av_strerror(result, muxer->message, sizeof muxer->message);
  return CVIDEO_FAILED;
}

// Converts nanoseconds to the unit of a container: to the nearest, except for pictures of a file with an index.
static int64_t ticks(const cvideo_muxer *muxer, int track, int64_t nanoseconds) {
  const AVStream *const stream = muxer->movie->streams[track];
  const AVRational unit = stream->time_base;
  if (muxer->is_quicktime && stream->codecpar->codec_type == AVMEDIA_TYPE_VIDEO) {
    return cvideo_picture_time(nanoseconds, unit);
  }
  const __int128 numerator = (__int128)nanoseconds * unit.den, denominator = (__int128)CVIDEO_NANOSECONDS * unit.num;
  const __int128 half = numerator < 0 ? -denominator / 2 : denominator / 2;
  return (int64_t)((numerator + half) / denominator);
}

cvideo_result cvideo_muxer_write(cvideo_muxer *muxer, int track, const cvideo_sample *sample) {
  if (muxer->has_failed) return CVIDEO_FAILED;
  AVPacket *const packet = muxer->packet;
  packet->stream_index = track;
  packet->data = (uint8_t *)sample->data;
  packet->size = (int)sample->count;
  packet->flags = sample->is_key_frame ? AV_PKT_FLAG_KEY : 0;
  packet->dts = ticks(muxer, track, sample->decode_time);
  packet->pts = ticks(muxer, track, sample->time);
  // Two samples may be nearer than a tick.
  if (packet->dts <= muxer->newest[track]) {
    packet->dts = muxer->newest[track] + 1;
    if (packet->pts < packet->dts) packet->pts = packet->dts;
  }
  packet->duration = ticks(muxer, track, sample->time + sample->duration) - packet->pts;
  if (packet->duration < 1) packet->duration = 1;
  muxer->newest[track] = packet->dts;
  const int result = muxer->av->av_write_frame(muxer->movie, packet);
  muxer->av->av->av_packet_unref(packet);
  return check(muxer, muxer->output->error < 0 ? muxer->output->error : result);
}

// Lets the next fragment begin at the time of its first sample, and not where the last sample ended. libavformat takes
// the flag back with each fragment, and looks at it only after it has checked a sample against that end. An empty
// sample, which is never written, brings it to look.
static int forget_end(cvideo_muxer *muxer) {
  AVPacket *const packet = muxer->packet;
  if (muxer->newest[0] == INT64_MIN) return 0;
  int result = muxer->av->av->av_opt_set(muxer->movie->priv_data, "movflags", "+frag_discont", 0);
  if (result < 0) return result;
  packet->stream_index = 0;
  packet->pts = packet->dts = ++muxer->newest[0];
  result = muxer->av->av_write_frame(muxer->movie, packet);
  muxer->av->av->av_packet_unref(packet);
  return result;
}

cvideo_result cvideo_muxer_end_fragment(cvideo_muxer *muxer) {
  if (muxer->has_failed) return CVIDEO_FAILED;
  int result = muxer->av->av_write_frame(muxer->movie, NULL);
  if (result >= 0 && muxer->is_quicktime) result = forget_end(muxer);
  return check(muxer, flush(muxer, result));
}

cvideo_result cvideo_muxer_finish(cvideo_muxer *muxer) {
  if (muxer->has_failed) return CVIDEO_FAILED;
  return check(muxer, flush(muxer, muxer->av->av_write_trailer(muxer->movie)));
}

const char *cvideo_muxer_message(const cvideo_muxer *muxer) {
  return muxer->message;
}
