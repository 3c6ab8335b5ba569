#include <stdio.h>
#include <stdlib.h>

#include "CVideoCoding.h"
#include "library.h"

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

// Allocates memory on the graphics card, into which each NV12 picture is copied.
static int prepare_device(cvideo_encoder *encoder, const cvideo_format *format) {
  const cvideo_library *const av = encoder->av;
  AVBufferRef *device = NULL;
  int error = av->av_hwdevice_ctx_create(&device, AV_HWDEVICE_TYPE_VAAPI, NULL, NULL, 0);
  if (error < 0) return error;
  AVBufferRef *frames = av->av_hwframe_ctx_alloc(device);
  av->av_buffer_unref(&device);
  if (!frames) return AVERROR(ENOMEM);
  AVHWFramesContext *const memory = (AVHWFramesContext *)frames->data;
  memory->format = AV_PIX_FMT_VAAPI;
  memory->sw_format = AV_PIX_FMT_NV12;
  memory->width = format->width;
  memory->height = format->height;
  memory->initial_pool_size = 4;
  error = av->av_hwframe_ctx_init(frames);
  if (error < 0) {
    av->av_buffer_unref(&frames);
    return error;
  }
  encoder->context->hw_frames_ctx = frames;
  encoder->context->pix_fmt = AV_PIX_FMT_VAAPI;
  encoder->on_device = av->av_frame_alloc();
  return encoder->on_device ? 0 : AVERROR(ENOMEM);
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
  // The time base only numbers the pictures. Their times travel beside the coded pictures.
  context->time_base = (AVRational){1, 30};
  context->framerate = (AVRational){30, 1};
  context->thread_count = 1;
  context->max_b_frames = 0;
  context->gop_size = 1 << 20;
  // Encoders without a rate factor use this constant quantizer.
  context->global_quality = format->quantizer * FF_QP2LAMBDA;
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
  int error = kind == CVIDEO_VAAPI ? prepare_device(encoder, format) : 0;
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

static void keep(void *opaque, uint8_t *data) {
  (void)opaque;
  (void)data;
}

// Lets the frame refer to the picture where it lies. libavcodec copies a frame that has no buffer, so the frame gets a
// buffer whose release function frees nothing.
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
  const size_t count = (size_t)picture->luma_stride * (size_t)frame->height;
  frame->buf[0] = encoder->av->av_buffer_create(frame->data[0], count, keep, NULL, AV_BUFFER_FLAG_READONLY);
  return frame->buf[0] ? 0 : AVERROR(ENOMEM);
}

static int send(cvideo_encoder *encoder, bool is_key_frame) {
  const cvideo_library *const av = encoder->av;
  AVFrame *frame = encoder->frame;
  if (encoder->on_device) {
    frame = encoder->on_device;
    int error = av->av_hwframe_get_buffer(encoder->context->hw_frames_ctx, frame, 0);
    if (error >= 0) error = av->av_hwframe_transfer_data(frame, encoder->frame, 0);
    if (error < 0) return error;
  }
  frame->pts = encoder->count++;
  frame->pict_type = is_key_frame ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE;
  return av->avcodec_send_frame(encoder->context, frame);
}

cvideo_result cvideo_encoder_encode(cvideo_encoder *encoder, const cvideo_picture *picture, bool *is_key_frame,
                                    const uint8_t **data, size_t *count) {
  const cvideo_library *const av = encoder->av;
  av->av_packet_unref(encoder->packet);
  int error = show(encoder, picture);
  if (error >= 0) error = send(encoder, *is_key_frame);
  if (error >= 0) error = av->avcodec_receive_packet(encoder->context, encoder->packet);
  av->av_frame_unref(encoder->frame);
  if (encoder->on_device) av->av_frame_unref(encoder->on_device);
  if (error == AVERROR(EAGAIN)) return CVIDEO_LATE;
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
