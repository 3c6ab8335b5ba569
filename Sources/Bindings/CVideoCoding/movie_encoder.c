#include <stdio.h>
#include <stdlib.h>

#include "CVideoCoding.h"
#include "frames.h"
#include "track.h"

struct cvideo_movie_encoder {
  const cvideo_library *av;
  AVCodecContext *context;
  AVFrame *frame;
  AVFrame *wide;     // the copy with ten bits a sample for ProRes, else NULL
  AVFrame *on_card;  // the copy for an encoder that reads only its own memory, else NULL
  AVPacket *packet;
  cvideo_movie_format format;
  bool keeps_pictures;  // whether the encoder may read a picture after the call that sent it
  char message[160];
};

const char *cvideo_movie_encoder_name(cvideo_codec codec, cvideo_kind kind) {
  static const char *const names[][3] = {
      [CVIDEO_H264] = {"libx264", "h264_v4l2m2m", "h264_vaapi"},
      [CVIDEO_HEVC] = {"libx265", "hevc_v4l2m2m", "hevc_vaapi"},
      [CVIDEO_PRORES] = {"prores_ks", NULL, NULL},
      [CVIDEO_FFV1] = {"ffv1", NULL, NULL},
      [CVIDEO_MJPEG] = {NULL, NULL, NULL},
  };
  return names[codec][kind];
}

bool cvideo_movie_encoder_exists(cvideo_codec codec, cvideo_kind kind) {
  const char *const name = cvideo_movie_encoder_name(codec, kind);
  const cvideo_library *const av = name ? cvideo_library_load() : NULL;
  return av && av->avcodec_find_encoder_by_name(name);
}

static enum AVPixelFormat pixel_format(cvideo_pixels pixels) {
  switch (pixels) {
    case CVIDEO_YUV420:
      return AV_PIX_FMT_YUV420P;
    case CVIDEO_YUV422:
      return AV_PIX_FMT_YUV422P;
    case CVIDEO_GREY:
      return AV_PIX_FMT_GRAY8;
    default:
      return AV_PIX_FMT_NV12;
  }
}

static void describe(AVCodecContext *context, const cvideo_movie_format *format) {
  context->width = format->width;
  context->height = format->height;
  context->pix_fmt = format->codec == CVIDEO_PRORES ? AV_PIX_FMT_YUV422P10 : pixel_format(format->pixels);
  context->sample_aspect_ratio = (AVRational){1, 1};
  context->color_range = format->is_full_range ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
  context->colorspace = cvideo_space(format->matrix);
  context->color_primaries = cvideo_primaries(format->matrix);
  context->color_trc = AVCOL_TRC_BT709;
  context->chroma_sample_location = AVCHROMA_LOC_LEFT;
  context->time_base = (AVRational){1, CVIDEO_TICKS_PER_SECOND};
  context->framerate = (AVRational){format->rate_numerator, format->rate_denominator};
  context->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
  context->max_b_frames = 0;
  context->gop_size = format->codec == CVIDEO_FFV1 ? 1 : format->key_frame_distance;
  context->thread_count = format->threads;
  if (format->bit_rate > 0) {
    const int64_t second = format->bit_rate < INT32_MAX ? format->bit_rate : INT32_MAX;
    context->bit_rate = context->rc_max_rate = second;
    context->rc_buffer_size = (int)second;
  } else {
    // VAAPI takes the constant quantizer as it is: the factor FF_QP2LAMBDA belongs to AV_CODEC_FLAG_QSCALE.
    context->global_quality = format->quantizer;
  }
}

// The options that only one encoder has.
static void choose(const cvideo_library *av, AVDictionary **options, AVCodecContext *context, cvideo_kind kind,
                   const cvideo_movie_format *format) {
  char factor[8];
  snprintf(factor, sizeof factor, "%d", format->quantizer);
  if (kind == CVIDEO_V4L2) {
    if (format->bit_rate == 0) {
      const int64_t pixels =
          (int64_t)format->width * format->height * format->rate_numerator / format->rate_denominator;
      context->bit_rate = pixels * 12 / 100;
    }
  } else if (kind == CVIDEO_VAAPI) {
    if (format->bit_rate == 0) av->av_dict_set(options, "rc_mode", "CQP", 0);
    av->av_dict_set(options, "async_depth", "1", 0);
  } else if (format->codec == CVIDEO_PRORES) {
    av->av_dict_set(options, "profile", "standard", 0);
    av->av_dict_set(options, "vendor", "apl0", 0);
    // With threads for pictures, the encoder would read a picture after the call.
    context->thread_type = FF_THREAD_SLICE;
  } else if (format->codec == CVIDEO_FFV1) {
    av->av_dict_set(options, "level", "3", 0);
    av->av_dict_set(options, "slicecrc", "1", 0);
    context->thread_type = FF_THREAD_SLICE;
  } else {
    av->av_dict_set(options, "preset", "veryfast", 0);
    av->av_dict_set(options, "forced-idr", "1", 0);
    if (format->bit_rate == 0) av->av_dict_set(options, "crf", factor, 0);
    if (format->codec == CVIDEO_HEVC) {
      // x265 writes messages to stderr by itself. Its key frames may be followed by pictures that need earlier ones,
      // unless it is told to close each group of pictures.
      char parameters[64] = "log-level=none:open-gop=0";
      if (format->threads > 0) {
        snprintf(parameters, sizeof parameters, "log-level=none:open-gop=0:pools=%d", format->threads);
      }
      av->av_dict_set(options, "x265-params", parameters, 0);
    }
  }
}

static int open_encoder(cvideo_movie_encoder *encoder, cvideo_kind kind, const char *name) {
  const cvideo_library *const av = encoder->av;
  const cvideo_movie_format *const format = &encoder->format;
  const AVCodec *const codec = av->avcodec_find_encoder_by_name(name);
  if (!codec) return AVERROR_ENCODER_NOT_FOUND;
  AVCodecContext *const context = encoder->context = av->avcodec_alloc_context3(codec);
  encoder->frame = av->av_frame_alloc();
  encoder->packet = av->av_packet_alloc();
  if (!context || !encoder->frame || !encoder->packet) return AVERROR(ENOMEM);
  describe(context, format);
  int error = 0;
  if (kind == CVIDEO_VAAPI) {
    error = cvideo_prepare_card(av, context);
    encoder->on_card = av->av_frame_alloc();
    if (error >= 0 && !encoder->on_card) error = AVERROR(ENOMEM);
  } else if (format->codec == CVIDEO_PRORES) {
    AVFrame *const wide = encoder->wide = av->av_frame_alloc();
    if (!wide) return AVERROR(ENOMEM);
    wide->format = context->pix_fmt;
    wide->width = format->width;
    wide->height = format->height;
    error = av->av_frame_get_buffer(wide, 0);
  }
  if (error < 0) return error;
  AVDictionary *options = NULL;
  choose(av, &options, context, kind, format);
  error = av->avcodec_open2(context, codec, &options);
  av->av_dict_free(&options);
  return error;
}

cvideo_movie_encoder *cvideo_movie_encoder_create(cvideo_kind kind, const cvideo_movie_format *format,
                                                  char message[160]) {
  const char *const name = cvideo_movie_encoder_name(format->codec, kind);
  const cvideo_library *const av = cvideo_library_load();
  if (!av) {
    snprintf(message, 160, "libavcodec.so.%d is not installed", LIBAVCODEC_VERSION_MAJOR);
    return NULL;
  }
  cvideo_movie_encoder *encoder = name ? calloc(1, sizeof *encoder) : NULL;
  if (!encoder) {
    snprintf(message, 160, name ? "out of memory" : "there is no such encoder");
    return NULL;
  }
  encoder->av = av;
  encoder->format = *format;
  encoder->keeps_pictures = kind == CVIDEO_V4L2;
  const int error = open_encoder(encoder, kind, name);
  if (error >= 0) return encoder;
  char reason[96] = "";
  av->av_strerror(error, reason, sizeof reason);
  snprintf(message, 160, "%s does not open: %s", name, reason);
  cvideo_movie_encoder_destroy(encoder);
  return NULL;
}

void cvideo_movie_encoder_destroy(cvideo_movie_encoder *encoder) {
  encoder->av->avcodec_free_context(&encoder->context);
  encoder->av->av_frame_free(&encoder->frame);
  encoder->av->av_frame_free(&encoder->wide);
  encoder->av->av_frame_free(&encoder->on_card);
  encoder->av->av_packet_free(&encoder->packet);
  free(encoder);
}

// Copies 4:2:2 with eight bits to the frame with ten bits. White of full range stays white.
static int widen(cvideo_movie_encoder *encoder, const cvideo_movie_picture *picture) {
  AVFrame *const wide = encoder->wide;
  const int error = encoder->av->av_frame_make_writable(wide);
  if (error < 0) return error;
  const int more = encoder->format.is_full_range ? 6 : 8;
  for (int plane = 0; plane < 3; plane++) {
    const int width = plane == 0 ? wide->width : wide->width / 2;
    for (int line = 0; line < wide->height; line++) {
      const uint8_t *const source = picture->planes[plane] + (ptrdiff_t)picture->strides[plane] * line;
      uint16_t *const target = (uint16_t *)(wide->data[plane] + (ptrdiff_t)wide->linesize[plane] * line);
      for (int i = 0; i < width; i++) target[i] = (uint16_t)(source[i] << 2 | source[i] >> more);
    }
  }
  wide->color_range = encoder->context->color_range;
  return 0;
}

// Lets the frame refer to the picture where it lies. A V4L2 encoder without room keeps the frame for later, when the
// picture may be gone, so it gets a copy.
static int show(cvideo_movie_encoder *encoder, const cvideo_movie_picture *picture) {
  AVFrame *const frame = encoder->frame;
  frame->format = pixel_format(encoder->format.pixels);
  frame->width = encoder->format.width;
  frame->height = encoder->format.height;
  frame->color_range = encoder->context->color_range;
  for (int i = 0; i < 3; i++) {
    frame->data[i] = (uint8_t *)picture->planes[i];
    frame->linesize[i] = picture->strides[i];
  }
  const int error = cvideo_lend(encoder->av, frame, picture->byte_count);
  return error < 0 || !encoder->keeps_pictures ? error : encoder->av->av_frame_make_writable(frame);
}

static cvideo_result fail(cvideo_movie_encoder *encoder, int error) {
  encoder->av->av_strerror(error, encoder->message, sizeof encoder->message);
  return CVIDEO_FAILED;
}

cvideo_result cvideo_movie_encoder_send(cvideo_movie_encoder *encoder, const cvideo_movie_picture *picture) {
  const cvideo_library *const av = encoder->av;
  int error;
  if (!picture) {
    error = av->avcodec_send_frame(encoder->context, NULL);
  } else if (encoder->wide) {
    error = widen(encoder, picture);
    if (error >= 0) error = cvideo_send(av, encoder->context, encoder->wide, NULL, picture->time, false);
  } else {
    error = show(encoder, picture);
    if (error >= 0) {
      error = cvideo_send(av, encoder->context, encoder->frame, encoder->on_card, picture->time, picture->is_key_frame);
    }
    av->av_frame_unref(encoder->frame);
    if (encoder->on_card) av->av_frame_unref(encoder->on_card);
  }
  return error < 0 ? fail(encoder, error) : CVIDEO_OK;
}

cvideo_result cvideo_movie_encoder_receive(cvideo_movie_encoder *encoder, cvideo_packet *packet) {
  const cvideo_library *const av = encoder->av;
  av->av_packet_unref(encoder->packet);
  const int error = av->avcodec_receive_packet(encoder->context, encoder->packet);
  if (error == AVERROR(EAGAIN)) return CVIDEO_LATE;
  if (error == AVERROR_EOF) return CVIDEO_ENDED;
  if (error < 0) return fail(encoder, error);
  packet->data = encoder->packet->data;
  packet->count = (size_t)encoder->packet->size;
  packet->time = encoder->packet->pts;
  packet->decode_time = encoder->packet->dts == AV_NOPTS_VALUE ? encoder->packet->pts : encoder->packet->dts;
  packet->is_key_frame = (encoder->packet->flags & AV_PKT_FLAG_KEY) != 0;
  return CVIDEO_OK;
}

const char *cvideo_movie_encoder_message(const cvideo_movie_encoder *encoder) {
  return encoder->message;
}

cvideo_track *cvideo_movie_encoder_track(const cvideo_movie_encoder *encoder, const uint8_t *key_frame, size_t count) {
  cvideo_track *track = cvideo_track_allocate(encoder->av);
  if (!track) return NULL;
  const bool has_parameter_sets = encoder->format.codec == CVIDEO_H264 || encoder->format.codec == CVIDEO_HEVC;
  if (encoder->av->avcodec_parameters_from_context(track->parameters, encoder->context) >= 0 &&
      (track->parameters->extradata_size > 0 || !has_parameter_sets ||
       (key_frame && cvideo_track_take_parameter_sets(track, key_frame, count)))) {
    return track;
  }
  cvideo_track_destroy(track);
  return NULL;
}
