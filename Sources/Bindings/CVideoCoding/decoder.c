#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CVideoDecoder.h"
#include "library.h"

struct cvideo_decoder {
  const cvideo_library *av;
  AVCodecContext *context;
  AVPacket *packet;
  // The picture that the caller has, and the one after it.
  AVFrame *frame, *next;
};

cvideo_decoder *cvideo_decoder_create(bool is_hevc, char message[160]) {
  const cvideo_library *const av = cvideo_library_load();
  if (!av) {
    snprintf(message, 160, "libavcodec is not installed");
    return NULL;
  }
  const AVCodec *const codec = av->avcodec_find_decoder(is_hevc ? AV_CODEC_ID_HEVC : AV_CODEC_ID_H264);
  cvideo_decoder *const decoder = codec ? calloc(1, sizeof *decoder) : NULL;
  if (!decoder) {
    snprintf(message, 160, codec ? "memory is short" : "libavcodec lacks the decoder");
    return NULL;
  }
  decoder->av = av;
  decoder->context = av->avcodec_alloc_context3(codec);
  decoder->packet = av->av_packet_alloc();
  decoder->frame = av->av_frame_alloc();
  decoder->next = av->av_frame_alloc();
  if (decoder->context && decoder->packet && decoder->frame && decoder->next) {
    // Cameras send pictures in the order in which they are shown, so none has to wait for a later one.
    decoder->context->flags |= AV_CODEC_FLAG_LOW_DELAY;
    decoder->context->thread_count = 1;
    if (av->avcodec_open2(decoder->context, codec, NULL) >= 0) return decoder;
  }
  snprintf(message, 160, "libavcodec cannot open the decoder");
  cvideo_decoder_destroy(decoder);
  return NULL;
}

void cvideo_decoder_destroy(cvideo_decoder *decoder) {
  decoder->av->av_frame_free(&decoder->next);
  decoder->av->av_frame_free(&decoder->frame);
  decoder->av->av_packet_free(&decoder->packet);
  decoder->av->avcodec_free_context(&decoder->context);
  free(decoder);
}

// Returns false for pixels that the daemon does not read.
static bool find_pixels(int format, cvideo_pixels *pixels) {
  switch (format) {
    case AV_PIX_FMT_YUV420P:
    case AV_PIX_FMT_YUVJ420P:
      *pixels = CVIDEO_YUV420;
      return true;
    case AV_PIX_FMT_YUV422P:
    case AV_PIX_FMT_YUVJ422P:
      *pixels = CVIDEO_YUV422;
      return true;
    case AV_PIX_FMT_GRAY8:
      *pixels = CVIDEO_GREY;
      return true;
    default:
      return false;
  }
}

static void describe(const AVFrame *frame, cvideo_decoded *picture) {
  *picture = (cvideo_decoded){
      .number = frame->pts,
      .width = frame->width,
      .height = frame->height,
      .has_range = frame->color_range != AVCOL_RANGE_UNSPECIFIED,
      .has_matrix = frame->colorspace != AVCOL_SPC_UNSPECIFIED,
      .is_full_range = frame->color_range == AVCOL_RANGE_JPEG || frame->format == AV_PIX_FMT_YUVJ420P ||
                       frame->format == AV_PIX_FMT_YUVJ422P,
      .matrix = frame->colorspace == AVCOL_SPC_BT2020_NCL ? CVIDEO_BT2020
                : frame->colorspace == AVCOL_SPC_BT709    ? CVIDEO_BT709
                                                          : CVIDEO_BT601,
  };
  picture->is_readable = find_pixels(frame->format, &picture->pixels);
  for (int plane = 0; plane < 3; ++plane) {
    picture->data[plane] = frame->data[plane];
    picture->strides[plane] = frame->linesize[plane];
  }
}

// Takes the newest picture that the decoder gives. Returns libavcodec's error when it gives none.
static int receive(cvideo_decoder *decoder) {
  int error = decoder->av->avcodec_receive_frame(decoder->context, decoder->frame);
  while (error >= 0 && decoder->av->avcodec_receive_frame(decoder->context, decoder->next) >= 0) {
    AVFrame *const newest = decoder->next;
    decoder->next = decoder->frame;
    decoder->frame = newest;
    decoder->av->av_frame_unref(decoder->next);
  }
  return error;
}

static bool is_damaged(const AVFrame *frame) {
  return frame->decode_error_flags != 0 || (frame->flags & AV_FRAME_FLAG_CORRUPT) != 0;
}

cvideo_result cvideo_decoder_decode(cvideo_decoder *decoder, const uint8_t *bytes, size_t count, int64_t number,
                                    cvideo_decoded *picture) {
  const cvideo_library *const av = decoder->av;
  if (count > INT_MAX / 2) return CVIDEO_FAILED;
  // The bytes are copied because libavcodec reads beyond their end.
  uint8_t *padded = av->av_malloc(count + AV_INPUT_BUFFER_PADDING_SIZE);
  if (!padded) return CVIDEO_FAILED;
  memcpy(padded, bytes, count);
  memset(padded + count, 0, AV_INPUT_BUFFER_PADDING_SIZE);
  // The packet owns the copy, or libavcodec would copy it again.
  decoder->packet->buf = av->av_buffer_create(padded, count + AV_INPUT_BUFFER_PADDING_SIZE, NULL, NULL, 0);
  if (!decoder->packet->buf) {
    av->av_freep(&padded);
    return CVIDEO_FAILED;
  }
  decoder->packet->data = padded;
  decoder->packet->size = (int)count;
  decoder->packet->pts = number;
  int error = av->avcodec_send_packet(decoder->context, decoder->packet);
  av->av_packet_unref(decoder->packet);
  if (error < 0) return CVIDEO_FAILED;
  error = receive(decoder);
  if (error == AVERROR(EAGAIN)) return CVIDEO_LATE;
  if (error < 0 || is_damaged(decoder->frame)) return CVIDEO_FAILED;
  describe(decoder->frame, picture);
  return CVIDEO_OK;
}

cvideo_result cvideo_decoder_drain(cvideo_decoder *decoder, cvideo_decoded *picture) {
  if (decoder->av->avcodec_send_packet(decoder->context, NULL) < 0) return CVIDEO_FAILED;
  if (receive(decoder) < 0 || is_damaged(decoder->frame)) return CVIDEO_FAILED;
  describe(decoder->frame, picture);
  return CVIDEO_OK;
}

void cvideo_decoder_reset(cvideo_decoder *decoder) {
  decoder->av->avcodec_flush_buffers(decoder->context);
}
