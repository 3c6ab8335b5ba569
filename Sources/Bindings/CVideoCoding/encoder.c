#include <stdio.h>
#include <stdlib.h>

#include "CVideoCoding.h"
#include "frames.h"
#include "library.h"
#include "timing.h"

// The rate that encoders are told.
static const AVRational USUAL_RATE = {30, 1};

struct cvideo_encoder {
  const cvideo_library *av;
  AVCodecContext *context;
  AVFrame *frame;
  AVFrame *on_device;  // the copy for an encoder that reads only its own memory, else NULL
  AVPacket *packet;
  int64_t count;
  char message[160];
};

const char *cvideo_encoder_name(cvideo_kind kind) {
  switch (kind) {
    case CVIDEO_V4L2:
      return "h264_v4l2m2m";
    case CVIDEO_VAAPI:
      return "h264_vaapi";
    default:
      return "libx264";
  }
}

static int open_encoder(cvideo_encoder *encoder, cvideo_kind kind, const cvideo_format *format) {
  const cvideo_library *const av = encoder->av;
  const AVCodec *const codec = av->avcodec_find_encoder_by_name(cvideo_encoder_name(kind));
  if (!codec) return AVERROR_ENCODER_NOT_FOUND;
  AVCodecContext *const context = encoder->context = av->avcodec_alloc_context3(codec);
  encoder->frame = av->av_frame_alloc();
  encoder->packet = av->av_packet_alloc();
  if (!context || !encoder->frame || !encoder->packet) return AVERROR(ENOMEM);
  context->width = format->width;
  context->height = format->height;
  context->pix_fmt = AV_PIX_FMT_NV12;
  context->color_range = format->is_full_range ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
  context->colorspace = format->is_bt709 ? AVCOL_SPC_BT709 : AVCOL_SPC_SMPTE170M;
  context->color_primaries = AVCOL_PRI_BT709;
  context->color_trc = AVCOL_TRC_BT709;
  // The time base only numbers the pictures. Their times travel beside the coded pictures. It is the same for all
  // rates, because x264 spends fewer bits on a picture that is shown for a shorter time.
  context->time_base = (AVRational){USUAL_RATE.den, USUAL_RATE.num};
  context->framerate = USUAL_RATE;
  context->thread_count = 1;
  context->max_b_frames = 0;
  context->gop_size = 1 << 20;
  // VAAPI takes the constant quantizer as it is: the factor FF_QP2LAMBDA belongs to AV_CODEC_FLAG_QSCALE.
  context->global_quality = format->quantizer;
  if (kind == CVIDEO_V4L2) context->bit_rate = (int64_t)format->width * format->height * 30 * 12 / 100;

  AVDictionary *options = NULL;
  char factor[8];
  snprintf(factor, sizeof factor, "%d", format->quantizer);
  if (kind == CVIDEO_SOFTWARE) {
    av->av_dict_set(&options, "preset", "superfast", 0);
    av->av_dict_set(&options, "tune", "zerolatency", 0);
    av->av_dict_set(&options, "crf", factor, 0);
    av->av_dict_set(&options, "forced-idr", "1", 0);
    av->av_dict_set(&options, "x264-params", "keyint=infinite:scenecut=0", 0);
  } else if (kind == CVIDEO_VAAPI) {
    av->av_dict_set(&options, "rc_mode", "CQP", 0);
    av->av_dict_set(&options, "async_depth", "1", 0);
  }
  int error = 0;
  if (kind == CVIDEO_VAAPI) {
    error = cvideo_prepare_card(av, context);
    encoder->on_device = av->av_frame_alloc();
    if (error >= 0 && !encoder->on_device) error = AVERROR(ENOMEM);
  }
  if (error >= 0) error = av->avcodec_open2(context, codec, &options);
  av->av_dict_free(&options);
  return error;
}

cvideo_encoder *cvideo_encoder_create(cvideo_kind kind, const cvideo_format *format, char message[160]) {
  const cvideo_library *const av = cvideo_library_load();
  if (!av) {
    snprintf(message, 160, "libavcodec.so.%d is not installed", LIBAVCODEC_VERSION_MAJOR);
    return NULL;
  }
  cvideo_encoder *encoder = calloc(1, sizeof *encoder);
  if (!encoder) {
    snprintf(message, 160, "out of memory");
    return NULL;
  }
  encoder->av = av;
  const int error = open_encoder(encoder, kind, format);
  if (error >= 0) return encoder;
  char reason[96] = "";
  av->av_strerror(error, reason, sizeof reason);
  snprintf(message, 160, "%s does not open: %s", cvideo_encoder_name(kind), reason);
  cvideo_encoder_destroy(encoder);
  return NULL;
}

void cvideo_encoder_destroy(cvideo_encoder *encoder) {
  encoder->av->avcodec_free_context(&encoder->context);
  encoder->av->av_frame_free(&encoder->frame);
  encoder->av->av_frame_free(&encoder->on_device);
  encoder->av->av_packet_free(&encoder->packet);
  free(encoder);
}

// Lets the frame refer to the picture where it lies.
static int show(cvideo_encoder *encoder, const cvideo_picture *picture) {
  AVFrame *const frame = encoder->frame;
  frame->format = AV_PIX_FMT_NV12;
  frame->width = encoder->context->width;
  frame->height = encoder->context->height;
  frame->color_range = encoder->context->color_range;
  frame->data[0] = (uint8_t *)picture->luma;
  frame->data[1] = (uint8_t *)picture->chroma;
  frame->linesize[0] = picture->luma_stride;
  frame->linesize[1] = picture->chroma_stride;
  return cvideo_lend(encoder->av, frame, (size_t)picture->luma_stride * (size_t)frame->height);
}

cvideo_result cvideo_encoder_encode(cvideo_encoder *encoder, const cvideo_picture *picture, bool *is_key_frame,
                                    const uint8_t **data, size_t *count) {
  const cvideo_library *const av = encoder->av;
  av->av_packet_unref(encoder->packet);
  int error = show(encoder, picture);
  if (error >= 0) {
    error = cvideo_send(av, encoder->context, encoder->frame, encoder->on_device, encoder->count++, *is_key_frame);
  }
  if (error >= 0) error = av->avcodec_receive_packet(encoder->context, encoder->packet);
  av->av_frame_unref(encoder->frame);
  if (encoder->on_device) av->av_frame_unref(encoder->on_device);
  if (error == AVERROR(EAGAIN)) return CVIDEO_LATE;
  // FFmpeg drops pictures of a stream that names a lower rate than it has, and cameras do not keep even times. x264
  // would leave the promise of even times out only if it held each picture back until the next one.
  if (error >= 0 && (encoder->packet->flags & AV_PKT_FLAG_KEY)) {
    cvideo_write_timing(encoder->packet, USUAL_RATE, (AVRational){picture->rate_numerator, picture->rate_denominator});
  }
  if (error < 0) {
    av->av_strerror(error, encoder->message, sizeof encoder->message);
    return CVIDEO_FAILED;
  }
  *is_key_frame = (encoder->packet->flags & AV_PKT_FLAG_KEY) != 0;
  *data = encoder->packet->data;
  *count = (size_t)encoder->packet->size;
  return CVIDEO_OK;
}

const char *cvideo_encoder_message(const cvideo_encoder *encoder) {
  return encoder->message;
}
