#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CVideoAudio.h"
#include "track.h"

// PCM takes any number of samples at once; as many as AAC make packets of a usual length.
enum { PCM_PACKET_SIZE = 1024 };

struct cvideo_audio_encoder {
  const cvideo_library *av;
  AVCodecContext *context;
  AVFrame *frame;
  AVPacket *packet;
  int packet_size;
  char message[160];
};

static const char *encoder_name(cvideo_audio_codec codec) {
  static const char *const names[] = {[CVIDEO_AAC] = "aac", [CVIDEO_OPUS] = "libopus", [CVIDEO_PCM] = "pcm_s16le"};
  return names[codec];
}

bool cvideo_audio_encoder_exists(cvideo_audio_codec codec) {
  const cvideo_library *const av = cvideo_library_load();
  return av && av->avcodec_find_encoder_by_name(encoder_name(codec));
}

static int open_encoder(cvideo_audio_encoder *encoder, const cvideo_audio_format *format) {
  const cvideo_library *const av = encoder->av;
  const AVCodec *const codec = av->avcodec_find_encoder_by_name(encoder_name(format->codec));
  if (!codec) return AVERROR_ENCODER_NOT_FOUND;
  AVCodecContext *const context = encoder->context = av->avcodec_alloc_context3(codec);
  AVFrame *const frame = encoder->frame = av->av_frame_alloc();
  encoder->packet = av->av_packet_alloc();
  if (!context || !frame || !encoder->packet) return AVERROR(ENOMEM);
  context->sample_rate = format->sample_rate;
  context->time_base = (AVRational){1, format->sample_rate};
  context->bit_rate = format->bit_rate;
  context->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
  context->sample_fmt = format->codec == CVIDEO_AAC    ? AV_SAMPLE_FMT_FLTP
                        : format->codec == CVIDEO_OPUS ? AV_SAMPLE_FMT_FLT
                                                       : AV_SAMPLE_FMT_S16;
  av->av_channel_layout_default(&context->ch_layout, format->channel_count);
  int error = av->avcodec_open2(context, codec, NULL);
  if (error < 0) return error;
  encoder->packet_size = context->frame_size > 0 ? context->frame_size : PCM_PACKET_SIZE;
  frame->nb_samples = encoder->packet_size;
  frame->format = context->sample_fmt;
  frame->sample_rate = format->sample_rate;
  av->av_channel_layout_default(&frame->ch_layout, format->channel_count);
  return av->av_frame_get_buffer(frame, 0);
}

cvideo_audio_encoder *cvideo_audio_encoder_create(const cvideo_audio_format *format, char message[160]) {
  const cvideo_library *const av = cvideo_library_load();
  if (!av) {
    snprintf(message, 160, "libavcodec.so.%d is not installed", LIBAVCODEC_VERSION_MAJOR);
    return NULL;
  }
  cvideo_audio_encoder *encoder = calloc(1, sizeof *encoder);
  if (!encoder) {
    snprintf(message, 160, "out of memory");
    return NULL;
  }
  encoder->av = av;
  const int error = open_encoder(encoder, format);
  if (error >= 0) return encoder;
  char reason[96] = "";
  av->av_strerror(error, reason, sizeof reason);
  snprintf(message, 160, "%s does not open: %s", encoder_name(format->codec), reason);
  cvideo_audio_encoder_destroy(encoder);
  return NULL;
}

void cvideo_audio_encoder_destroy(cvideo_audio_encoder *encoder) {
  encoder->av->avcodec_free_context(&encoder->context);
  encoder->av->av_frame_free(&encoder->frame);
  encoder->av->av_packet_free(&encoder->packet);
  free(encoder);
}

int cvideo_audio_encoder_packet_size(const cvideo_audio_encoder *encoder) {
  return encoder->packet_size;
}

int cvideo_audio_encoder_delay(const cvideo_audio_encoder *encoder) {
  return encoder->context->initial_padding;
}

static int16_t integer(float sample) {
  const float scaled = sample * 32768;
  return scaled >= 32767 ? 32767 : scaled <= -32768 ? -32768 : (int16_t)lrintf(scaled);
}

static void fill(AVFrame *frame, const float *samples, int channel_count) {
  const int count = frame->nb_samples;
  switch (frame->format) {
    case AV_SAMPLE_FMT_FLTP:
      for (int channel = 0; channel < channel_count; channel++) {
        float *const target = (float *)frame->extended_data[channel];
        for (int i = 0; i < count; i++) target[i] = samples[i * channel_count + channel];
      }
      break;
    case AV_SAMPLE_FMT_FLT:
      memcpy(frame->data[0], samples, (size_t)(count * channel_count) * sizeof *samples);
      break;
    default:
      for (int i = 0; i < count * channel_count; i++) ((int16_t *)frame->data[0])[i] = integer(samples[i]);
  }
}

static cvideo_result fail(cvideo_audio_encoder *encoder, int error) {
  encoder->av->av_strerror(error, encoder->message, sizeof encoder->message);
  return CVIDEO_FAILED;
}

cvideo_result cvideo_audio_encoder_send(cvideo_audio_encoder *encoder, const float *samples, int64_t time) {
  AVFrame *const frame = encoder->frame;
  int error;
  if (samples) {
    // An encoder may keep the frame until the next one comes.
    error = encoder->av->av_frame_make_writable(frame);
    if (error < 0) return fail(encoder, error);
    fill(frame, samples, encoder->context->ch_layout.nb_channels);
    frame->pts = time;
    error = encoder->av->avcodec_send_frame(encoder->context, frame);
  } else {
    error = encoder->av->avcodec_send_frame(encoder->context, NULL);
  }
  return error < 0 ? fail(encoder, error) : CVIDEO_OK;
}

cvideo_result cvideo_audio_encoder_receive(cvideo_audio_encoder *encoder, cvideo_packet *packet) {
  const cvideo_library *const av = encoder->av;
  av->av_packet_unref(encoder->packet);
  const int error = av->avcodec_receive_packet(encoder->context, encoder->packet);
  if (error == AVERROR(EAGAIN)) return CVIDEO_LATE;
  if (error == AVERROR_EOF) return CVIDEO_ENDED;
  if (error < 0) return fail(encoder, error);
  packet->data = encoder->packet->data;
  packet->count = (size_t)encoder->packet->size;
  packet->time = packet->decode_time = encoder->packet->pts;
  packet->is_key_frame = true;
  return CVIDEO_OK;
}

const char *cvideo_audio_encoder_message(const cvideo_audio_encoder *encoder) {
  return encoder->message;
}

cvideo_track *cvideo_audio_encoder_track(const cvideo_audio_encoder *encoder) {
  cvideo_track *const track = cvideo_track_allocate(encoder->av);
  if (!track) return NULL;
  AVCodecParameters *const parameters = track->parameters;
  if (encoder->av->avcodec_parameters_from_context(parameters, encoder->context) < 0) {
    cvideo_track_destroy(track);
    return NULL;
  }
  parameters->initial_padding = 0;
  // The header of Opus tells the delay, too (RFC 7845, 5.1: the pre-skip).
  if (parameters->codec_id == AV_CODEC_ID_OPUS && parameters->extradata_size >= 12) {
    parameters->extradata[10] = parameters->extradata[11] = 0;
  }
  return track;
}
