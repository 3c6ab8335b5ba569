#include <stdlib.h>

#include "errors.h"

struct cjpeg_encoder {
  struct jpeg_compress_struct cinfo;
  cjpeg_errors errors;
  struct jpeg_destination_mgr destination;
  size_t capacity;
};

static void init_destination(j_compress_ptr cinfo) {
  (void)cinfo;
}

// libjpeg calls this function when the caller's memory is full. The picture cannot be finished in that memory.
static boolean empty_output_buffer(j_compress_ptr cinfo) {
  cjpeg_escape((j_common_ptr)cinfo, CJPEG_BUFFER_FULL);
}

static void term_destination(j_compress_ptr cinfo) {
  (void)cinfo;
}

cjpeg_encoder *cjpeg_encoder_create(void) {
  cjpeg_encoder *encoder = calloc(1, sizeof *encoder);
  if (!encoder) return NULL;
  encoder->cinfo.err = cjpeg_errors_init(&encoder->errors);
  if (setjmp(encoder->errors.escape)) {
    cjpeg_encoder_destroy(encoder);
    return NULL;
  }
  jpeg_create_compress(&encoder->cinfo);
  encoder->destination.init_destination = init_destination;
  encoder->destination.empty_output_buffer = empty_output_buffer;
  encoder->destination.term_destination = term_destination;
  encoder->cinfo.dest = &encoder->destination;
  return encoder;
}

void cjpeg_encoder_destroy(cjpeg_encoder *encoder) {
  jpeg_destroy_compress(&encoder->cinfo);
  free(encoder);
}

static cjpeg_result failed(cjpeg_encoder *encoder) {
  jpeg_abort_compress(&encoder->cinfo);
  return encoder->errors.result;
}

cjpeg_result cjpeg_encoder_start(cjpeg_encoder *encoder, uint8_t *output, size_t capacity, int width, int height,
                                 int components, int quality) {
  struct jpeg_compress_struct *cinfo = &encoder->cinfo;
  cjpeg_errors_reset(&encoder->errors);
  if (setjmp(encoder->errors.escape)) return failed(encoder);
  jpeg_abort_compress(cinfo);

  encoder->capacity = capacity;
  encoder->destination.next_output_byte = output;
  encoder->destination.free_in_buffer = capacity;
  cinfo->image_width = (JDIMENSION)width;
  cinfo->image_height = (JDIMENSION)height;
  cinfo->input_components = components;
  cinfo->in_color_space = components == 1 ? JCS_GRAYSCALE : JCS_YCbCr;
  jpeg_set_defaults(cinfo);  // The defaults are JFIF and, for YCbCr, 4:2:0.
  jpeg_set_quality(cinfo, quality, TRUE);
  cinfo->raw_data_in = TRUE;
  jpeg_start_compress(cinfo, TRUE);
  return CJPEG_OK;
}

cjpeg_result cjpeg_encoder_write_exif(cjpeg_encoder *encoder, const uint8_t *exif, size_t count) {
  if (setjmp(encoder->errors.escape)) return failed(encoder);
  jpeg_write_marker(&encoder->cinfo, JPEG_APP0 + 1, exif, (unsigned int)count);
  return CJPEG_OK;
}

cjpeg_result cjpeg_encoder_write(cjpeg_encoder *encoder, const uint8_t *y, ptrdiff_t y_stride, const uint8_t *u,
                                 ptrdiff_t u_stride, const uint8_t *v, ptrdiff_t v_stride, int rows) {
  struct jpeg_compress_struct *cinfo = &encoder->cinfo;
  if (setjmp(encoder->errors.escape)) return failed(encoder);
  if (cinfo->num_components == 3 && (!u || !v)) return CJPEG_FAILED;

  // Lines below the picture repeat the last line. The casts are safe: libjpeg only reads the samples, though its types
  // are not const.
  JSAMPROW luma[2 * DCTSIZE], cb[DCTSIZE], cr[DCTSIZE];
  JSAMPARRAY planes[3] = {luma, cb, cr};
  const int lines = cinfo->max_v_samp_factor * DCTSIZE;  // 8 for grey, so the loop below runs twice
  const int chroma_rows = (rows + 1) / 2;
  for (int top = 0; top < rows; top += lines) {
    for (int i = 0; i < lines; i++) luma[i] = (JSAMPROW)(y + y_stride * (top + i < rows ? top + i : rows - 1));
    for (int i = 0; i < DCTSIZE && cinfo->num_components == 3; i++) {
      const int row = i < chroma_rows ? i : chroma_rows - 1;
      cb[i] = (JSAMPROW)(u + u_stride * row);
      cr[i] = (JSAMPROW)(v + v_stride * row);
    }
    if (jpeg_write_raw_data(cinfo, planes, (JDIMENSION)lines) != (JDIMENSION)lines) return CJPEG_FAILED;
  }
  return CJPEG_OK;
}

cjpeg_result cjpeg_encoder_finish(cjpeg_encoder *encoder, size_t *count) {
  if (setjmp(encoder->errors.escape)) return failed(encoder);
  jpeg_finish_compress(&encoder->cinfo);
  *count = encoder->capacity - encoder->destination.free_in_buffer;
  return CJPEG_OK;
}

const char *cjpeg_encoder_message(const cjpeg_encoder *encoder) {
  return encoder->errors.message;
}
