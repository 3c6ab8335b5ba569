#include "frames.h"

static void keep(void *opaque, uint8_t *data) {
  (void)opaque;
  (void)data;
}

// libavcodec copies a frame that has no buffer, so the frame gets a buffer whose release function frees nothing.
int cvideo_lend(const cvideo_library *av, AVFrame *frame, size_t byte_count) {
  frame->buf[0] = av->av_buffer_create(frame->data[0], byte_count, keep, NULL, AV_BUFFER_FLAG_READONLY);
  return frame->buf[0] ? 0 : AVERROR(ENOMEM);
}

int cvideo_prepare_card(const cvideo_library *av, AVCodecContext *context) {
  AVBufferRef *device = NULL;
  int error = av->av_hwdevice_ctx_create(&device, AV_HWDEVICE_TYPE_VAAPI, NULL, NULL, 0);
  if (error < 0) return error;
  AVBufferRef *frames = av->av_hwframe_ctx_alloc(device);
  av->av_buffer_unref(&device);
  if (!frames) return AVERROR(ENOMEM);
  AVHWFramesContext *const memory = (AVHWFramesContext *)frames->data;
  memory->format = AV_PIX_FMT_VAAPI;
  memory->sw_format = AV_PIX_FMT_NV12;
  memory->width = context->width;
  memory->height = context->height;
  memory->initial_pool_size = 4;
  error = av->av_hwframe_ctx_init(frames);
  if (error < 0) {
    av->av_buffer_unref(&frames);
    return error;
  }
  context->hw_frames_ctx = frames;
  context->pix_fmt = AV_PIX_FMT_VAAPI;
  return 0;
}

int cvideo_send(const cvideo_library *av, AVCodecContext *context, AVFrame *frame, AVFrame *on_card, int64_t time,
                bool is_key_frame) {
  if (on_card) {
    int error = av->av_hwframe_get_buffer(context->hw_frames_ctx, on_card, 0);
    if (error >= 0) error = av->av_hwframe_transfer_data(on_card, frame, 0);
    if (error < 0) return error;
    frame = on_card;
  }
  frame->pts = time;
  frame->pict_type = is_key_frame ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE;
  return av->avcodec_send_frame(context, frame);
}

enum AVColorSpace cvideo_space(cvideo_matrix matrix) {
  switch (matrix) {
    case CVIDEO_BT2020:
      return AVCOL_SPC_BT2020_NCL;
    case CVIDEO_BT709:
      return AVCOL_SPC_BT709;
    default:
      return AVCOL_SPC_SMPTE170M;
  }
}

enum AVColorPrimaries cvideo_primaries(cvideo_matrix matrix) {
  return matrix == CVIDEO_BT2020 ? AVCOL_PRI_BT2020 : AVCOL_PRI_BT709;
}
