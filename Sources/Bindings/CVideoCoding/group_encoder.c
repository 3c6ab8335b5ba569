#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CVideoGroup.h"
#include "CVideoMovie.h"
#include "frames.h"
#include "parameter_sets.h"

// One run: a decoder, an encoder that opens with the first picture that it gets, and what came of it so far.
typedef struct recoding {
  const cvideo_library *av;
  const cvideo_track *track;
  const cvideo_group_sample *samples;
  size_t count;
  size_t first;
  int quantizer;
  AVCodecContext *decoder;
  AVCodecContext *encoder;
  AVFrame *frame;
  AVPacket *packet;
  size_t decoded;
  size_t capacity;
  cvideo_group *group;
} recoding;

static bool is_h264(const recoding *recoding) {
  return recoding->track->parameters->codec_id == AV_CODEC_ID_H264;
}

static int open_decoder(recoding *recoding) {
  const cvideo_library *const av = recoding->av;
  const AVCodec *const codec = av->avcodec_find_decoder(recoding->track->parameters->codec_id);
  if (!codec) return AVERROR_DECODER_NOT_FOUND;
  AVCodecContext *const context = recoding->decoder = av->avcodec_alloc_context3(codec);
  if (!context) return AVERROR(ENOMEM);
  int error = av->avcodec_parameters_to_context(context, recoding->track->parameters);
  if (error < 0) return error;
  context->time_base = context->pkt_timebase = (AVRational){1, CVIDEO_NANOSECONDS};
  context->thread_count = 2;
  // A picture that is damaged would be encoded as if it were sound.
  context->err_recognition = AV_EF_EXPLODE;
  return av->avcodec_open2(context, codec, NULL);
}

// The average rate of the pictures, which is only nominal: their times count.
static AVRational rate(const recoding *recoding) {
  const int64_t count = (int64_t)recoding->count - 1;
  const int64_t time = recoding->samples[recoding->count - 1].time - recoding->samples[0].time;
  const int64_t hundredths = count < 1 || time < 1 ? 0 : (count * CVIDEO_NANOSECONDS * 100 + time / 2) / time;
  return hundredths > 0 && hundredths <= 100000 ? (AVRational){(int)hundredths, 100} : (AVRational){30, 1};
}

static int open_encoder(recoding *recoding) {
  const cvideo_library *const av = recoding->av;
  const AVFrame *const frame = recoding->frame;
  const char *const name = cvideo_movie_encoder_name(is_h264(recoding) ? CVIDEO_H264 : CVIDEO_HEVC, CVIDEO_SOFTWARE);
  const AVCodec *const codec = av->avcodec_find_encoder_by_name(name);
  if (!codec) return AVERROR_ENCODER_NOT_FOUND;
  AVCodecContext *const context = recoding->encoder = av->avcodec_alloc_context3(codec);
  if (!context) return AVERROR(ENOMEM);
  context->width = frame->width;
  context->height = frame->height;
  context->pix_fmt = frame->format;
  context->sample_aspect_ratio = frame->sample_aspect_ratio;
  context->color_range = frame->color_range;
  context->colorspace = frame->colorspace;
  context->color_primaries = frame->color_primaries;
  context->color_trc = frame->color_trc;
  context->chroma_sample_location = frame->chroma_location;
  context->time_base = (AVRational){1, CVIDEO_NANOSECONDS};
  context->framerate = rate(recoding);
  context->max_b_frames = 0;
  context->gop_size = 100000;
  // The bytes that come depend on the number of threads.
  context->thread_count = 2;
  AVDictionary *options = NULL;
  char text[64];
  // These few pictures may take more bytes: somebody waits for them.
  av->av_dict_set(&options, "preset", "ultrafast", 0);
  snprintf(text, sizeof text, "%d", recoding->quantizer);
  av->av_dict_set(&options, "crf", text, 0);
  if (is_h264(recoding)) {
    // The track gets the parameter sets of both encoders, so they need other ids than the old ones.
    context->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
    const int id = cvideo_free_set_id(recoding->track);
    if (id < 0) return AVERROR_INVALIDDATA;
    snprintf(text, sizeof text, "sps-id=%d", id);
    av->av_dict_set(&options, "x264-params", text, 0);
    // A decoder that only knows the profile of the old samples must know that of the new ones, too.
    const uint8_t profile = recoding->track->parameters->extradata[1];
    if (profile == FF_PROFILE_H264_BASELINE) av->av_dict_set(&options, "profile", "baseline", 0);
    if (profile == FF_PROFILE_H264_MAIN) av->av_dict_set(&options, "profile", "main", 0);
  } else {
    // All parameter sets of x265 have the id 0, so they come with the key frame.
    av->av_dict_set(&options, "x265-params", "log-level=none:open-gop=0:repeat-headers=1:frame-threads=1:info=0", 0);
  }
  const int error = av->avcodec_open2(context, codec, &options);
  av->av_dict_free(&options);
  return error;
}

// The most bytes of a group that is encoded anew. Two seconds of noise in 4K have fewer.
enum { MAXIMUM_BYTES = 128 << 20 };

static int reserve(recoding *recoding, size_t count) {
  cvideo_group *const group = recoding->group;
  if (group->byte_count + count <= recoding->capacity) return 0;
  if (group->byte_count + count > MAXIMUM_BYTES) return AVERROR(EFBIG);
  const size_t capacity = 2 * (group->byte_count + count);
  uint8_t *const bytes = realloc(group->bytes, capacity);
  if (!bytes) return AVERROR(ENOMEM);
  group->bytes = bytes;
  recoding->capacity = capacity;
  return 0;
}

// Returns whether a unit belongs into a sample: it has pixels, or in HEVC it is a parameter set.
static bool is_kept(const recoding *recoding, uint8_t header) {
  if (is_h264(recoding)) return (header & 0x1f) >= 1 && (header & 0x1f) <= 5;
  return (header >> 1 & 0x3f) <= 34;
}

// Adds a packet as a sample of MP4, in which the length of each unit replaces its start code.
static int add_sample(recoding *recoding) {
  const AVPacket *const packet = recoding->packet;
  cvideo_group *const group = recoding->group;
  if (group->sample_count == recoding->count - recoding->first) return AVERROR_BUG;
  const size_t start = group->byte_count;
  const uint8_t *const end = packet->data + packet->size;
  const uint8_t *code = cvideo_start_code(packet->data, end);
  while (end - code > 3) {
    const uint8_t *const unit = code + 3, *const next = cvideo_start_code(unit, end);
    const size_t size = (size_t)(cvideo_unit_end(unit, next) - unit);
    code = next;
    if (size == 0 || !is_kept(recoding, unit[0])) continue;
    const int error = reserve(recoding, 4 + size);
    if (error < 0) return error;
    uint8_t *const target = group->bytes + group->byte_count;
    for (int i = 0; i < 4; i++) target[i] = (uint8_t)(size >> (24 - 8 * i));
    memcpy(target + 4, unit, size);
    group->byte_count += 4 + size;
  }
  const size_t number = group->sample_count++;
  group->samples[number] = (cvideo_group_sample){.time = recoding->samples[recoding->first + number].time,
                                                 .count = (uint32_t)(group->byte_count - start),
                                                 .is_key_frame = packet->flags & AV_PKT_FLAG_KEY};
  // No picture refers to a later one, so the samples come in the order of the pictures.
  return packet->pts == group->samples[number].time && group->byte_count > start ? 0 : AVERROR_BUG;
}

static int receive_packets(recoding *recoding) {
  while (true) {
    int error = recoding->av->avcodec_receive_packet(recoding->encoder, recoding->packet);
    if (error == AVERROR(EAGAIN) || error == AVERROR_EOF) return 0;
    if (error >= 0) error = add_sample(recoding);
    recoding->av->av_packet_unref(recoding->packet);
    if (error < 0) return error;
  }
}

// Takes the pictures that are decoded. A group without a gap in its pictures has one for each sample.
static int receive_frames(recoding *recoding) {
  const cvideo_library *const av = recoding->av;
  AVFrame *const frame = recoding->frame;
  while (true) {
    int error = av->avcodec_receive_frame(recoding->decoder, frame);
    if (error == AVERROR(EAGAIN) || error == AVERROR_EOF) return 0;
    if (error < 0) return error;
    const size_t number = recoding->decoded++;
    if (number >= recoding->count || frame->pts != recoding->samples[number].time) {
      error = AVERROR_INVALIDDATA;
    } else if (number >= recoding->first) {
      if (!recoding->encoder) error = open_encoder(recoding);
      if (error >= 0) error = cvideo_send(av, recoding->encoder, frame, NULL, frame->pts, number == recoding->first);
      if (error >= 0) error = receive_packets(recoding);
    }
    av->av_frame_unref(frame);
    if (error < 0) return error;
  }
}

static int decode(recoding *recoding, const uint8_t *bytes) {
  AVPacket *const packet = recoding->packet;
  for (size_t i = 0; i < recoding->count; i++) {
    const uint32_t count = recoding->samples[i].count;
    // libavcodec reads a little beyond the end.
    uint8_t *sample = recoding->av->av_mallocz(count + (size_t)AV_INPUT_BUFFER_PADDING_SIZE);
    if (!sample) return AVERROR(ENOMEM);
    memcpy(sample, bytes, count);
    bytes += count;
    packet->data = sample;
    packet->size = (int)count;
    packet->pts = packet->dts = recoding->samples[i].time;
    packet->flags = recoding->samples[i].is_key_frame ? AV_PKT_FLAG_KEY : 0;
    int error = recoding->av->avcodec_send_packet(recoding->decoder, packet);
    recoding->av->av_packet_unref(packet);
    recoding->av->av_freep(&sample);
    if (error >= 0) error = receive_frames(recoding);
    if (error < 0) return error;
  }
  const int error = recoding->av->avcodec_send_packet(recoding->decoder, NULL);
  return error < 0 ? error : receive_frames(recoding);
}

// Makes the track, and what a sample of the old track needs in front of it.
static int describe(recoding *recoding) {
  cvideo_group *const group = recoding->group;
  const AVCodecContext *const encoder = recoding->encoder;
  if (is_h264(recoding)) {
    group->track = cvideo_track_with_sets(recoding->track, encoder->extradata, (size_t)encoder->extradata_size);
    return group->track ? 0 : AVERROR_INVALIDDATA;
  }
  group->track = cvideo_track_with_sets_in_samples(recoding->track);
  group->old_set_count = cvideo_copy_sets(recoding->track, NULL);
  if (!group->track || group->old_set_count == 0) return AVERROR_INVALIDDATA;
  group->old_sets = malloc(group->old_set_count);
  if (!group->old_sets) return AVERROR(ENOMEM);
  cvideo_copy_sets(recoding->track, group->old_sets);
  return 0;
}

static int run(recoding *recoding, const uint8_t *bytes) {
  const cvideo_library *const av = recoding->av;
  recoding->group->samples = calloc(recoding->count - recoding->first, sizeof *recoding->group->samples);
  recoding->frame = av->av_frame_alloc();
  recoding->packet = av->av_packet_alloc();
  if (!recoding->group->samples || !recoding->frame || !recoding->packet) return AVERROR(ENOMEM);
  int error = open_decoder(recoding);
  if (error >= 0) error = decode(recoding, bytes);
  if (error >= 0 && recoding->decoded != recoding->count) error = AVERROR_INVALIDDATA;
  if (error >= 0) error = av->avcodec_send_frame(recoding->encoder, NULL);
  if (error >= 0) error = receive_packets(recoding);
  const cvideo_group *const group = recoding->group;
  if (error >= 0 && (group->sample_count != recoding->count - recoding->first || !group->samples[0].is_key_frame)) {
    error = AVERROR_BUG;
  }
  return error < 0 ? error : describe(recoding);
}

cvideo_result cvideo_group_encode(const cvideo_track *track, const cvideo_group_sample *samples, size_t count,
                                  const uint8_t *bytes, size_t first, int quantizer, cvideo_group *group,
                                  char message[160]) {
  *group = (cvideo_group){0};
  recoding recoding = {.av = track->av,
                       .track = track,
                       .samples = samples,
                       .count = count,
                       .first = first,
                       .quantizer = quantizer,
                       .group = group};
  const enum AVCodecID codec = track->parameters->codec_id;
  int error = AVERROR(EINVAL);
  if (first < count && (codec == AV_CODEC_ID_H264 || codec == AV_CODEC_ID_HEVC)) error = run(&recoding, bytes);
  track->av->avcodec_free_context(&recoding.decoder);
  track->av->avcodec_free_context(&recoding.encoder);
  track->av->av_frame_free(&recoding.frame);
  track->av->av_packet_free(&recoding.packet);
  if (error >= 0) return CVIDEO_OK;
  cvideo_group_free(group);
  track->av->av_strerror(error, message, 160);
  return CVIDEO_FAILED;
}

void cvideo_group_free(cvideo_group *group) {
  if (group->track) cvideo_track_destroy(group->track);
  free(group->samples);
  free(group->bytes);
  free(group->old_sets);
  *group = (cvideo_group){0};
}
