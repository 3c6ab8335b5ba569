#include <stdlib.h>

#include "errors.h"

// The largest number of scans of a picture. Each scan passes through the whole picture but may take only a few bytes,
// so that 4 MB can hold minutes of work. Real pictures have about ten scans.
enum { maximum_scans = 100 };

// The most bytes of the coefficients of a picture in several scans, for which libjpeg needs memory of its own, whatever
// the picture is scaled to. A picture of 80 megapixels has as many.
enum { maximum_coefficients = 256 << 20 };

struct cjpeg_decoder {
  struct jpeg_decompress_struct cinfo;
  cjpeg_errors errors;
  struct jpeg_progress_mgr progress;
  uint8_t *spare;  // receives the lines of blocks that lie below the picture
  size_t spare_count;
};

// libjpeg calls this function while it reads scans. libjpeg has no limit of its own on their number.
static void check_scans(j_common_ptr cinfo) {
  if (((j_decompress_ptr)cinfo)->input_scan_number <= maximum_scans) return;
  cjpeg_errors *errors = (cjpeg_errors *)cinfo->err;
  errors->result = CJPEG_DAMAGED;
  snprintf(errors->message, sizeof errors->message, "More than %d scans", maximum_scans);
  longjmp(errors->escape, 1);
}

cjpeg_decoder *cjpeg_decoder_create(void) {
  cjpeg_decoder *decoder = calloc(1, sizeof *decoder);
  if (!decoder) return NULL;
  decoder->cinfo.err = cjpeg_errors_init(&decoder->errors);
  if (setjmp(decoder->errors.escape)) {
    cjpeg_decoder_destroy(decoder);
    return NULL;
  }
  jpeg_create_decompress(&decoder->cinfo);
  decoder->progress.progress_monitor = check_scans;
  decoder->cinfo.progress = &decoder->progress;
  return decoder;
}

void cjpeg_decoder_destroy(cjpeg_decoder *decoder) {
  jpeg_destroy_decompress(&decoder->cinfo);
  free(decoder->spare);
  free(decoder);
}

static cjpeg_result failed(cjpeg_decoder *decoder) {
  jpeg_abort_decompress(&decoder->cinfo);
  return decoder->errors.result;
}

cjpeg_result cjpeg_decoder_start(cjpeg_decoder *decoder, const uint8_t *data, size_t count, int *width, int *height) {
  struct jpeg_decompress_struct *cinfo = &decoder->cinfo;
  cjpeg_errors_reset(&decoder->errors);
  if (setjmp(decoder->errors.escape)) return failed(decoder);
  jpeg_abort_decompress(cinfo);

  jpeg_mem_src(cinfo, data, (unsigned long)count);
  jpeg_read_header(cinfo, TRUE);
  *width = (int)cinfo->image_width;
  *height = (int)cinfo->image_height;
  const int is_grey = cinfo->jpeg_color_space == JCS_GRAYSCALE && cinfo->num_components == 1;
  const int is_color = cinfo->jpeg_color_space == JCS_YCbCr && cinfo->num_components == 3;
  if (!is_grey && !is_color) {
    jpeg_abort_decompress(cinfo);
    return CJPEG_UNSUPPORTED;
  }
  if (jpeg_has_multiple_scans(cinfo)) {
    uint64_t coefficients = 0;
    for (int i = 0; i < cinfo->num_components; i++) {
      const jpeg_component_info *component = &cinfo->comp_info[i];
      coefficients += (uint64_t)component->width_in_blocks * component->height_in_blocks * sizeof(JBLOCK);
    }
    if (coefficients > maximum_coefficients) {
      jpeg_abort_decompress(cinfo);
      return CJPEG_UNSUPPORTED;
    }
  }
  // Each component of a JPEG may have its own sampling factors. The code that reads the planes, however, assumes that
  // Cr has the size of Cb, which holds for every encoder. Luma and chroma may differ by any factors, because each plane
  // is scaled from its own size.
  const jpeg_component_info *cb = &cinfo->comp_info[1], *cr = &cinfo->comp_info[2];
  if (is_color && (cb->h_samp_factor != cr->h_samp_factor || cb->v_samp_factor != cr->v_samp_factor)) {
    jpeg_abort_decompress(cinfo);
    snprintf(decoder->errors.message, sizeof decoder->errors.message, "Cb and Cr are sampled differently");
    return CJPEG_DAMAGED;
  }
  return CJPEG_OK;
}

cjpeg_result cjpeg_decoder_plan(cjpeg_decoder *decoder, int eighths, int *components, cjpeg_plane planes[3]) {
  struct jpeg_decompress_struct *cinfo = &decoder->cinfo;
  if (setjmp(decoder->errors.escape)) return failed(decoder);
  cinfo->scale_num = (unsigned)eighths;
  cinfo->scale_denom = 8;
  cinfo->out_color_space = cinfo->jpeg_color_space;
  cinfo->raw_data_out = TRUE;
  cinfo->do_block_smoothing = FALSE;
  jpeg_calc_output_dimensions(cinfo);
  *components = cinfo->num_components;
  for (int i = 0; i < cinfo->num_components; i++) {
    const jpeg_component_info *component = &cinfo->comp_info[i];
    planes[i].width = (int)component->downsampled_width;
    planes[i].height = (int)component->downsampled_height;
    planes[i].padded_width = (int)component->width_in_blocks * component->DCT_scaled_size;
  }
  return CJPEG_OK;
}

cjpeg_result cjpeg_decoder_read(cjpeg_decoder *decoder, uint8_t *const planes[3], const ptrdiff_t strides[3]) {
  struct jpeg_decompress_struct *cinfo = &decoder->cinfo;
  if (setjmp(decoder->errors.escape)) return failed(decoder);

  size_t widest = 0;
  for (int i = 0; i < cinfo->num_components; i++) {
    const jpeg_component_info *component = &cinfo->comp_info[i];
    const size_t width = (size_t)component->width_in_blocks * (size_t)component->DCT_scaled_size;
    if (width > widest) widest = width;
  }
  if (widest > decoder->spare_count) {
    free(decoder->spare);
    decoder->spare = malloc(widest);
    decoder->spare_count = decoder->spare ? widest : 0;
    if (!decoder->spare) return CJPEG_FAILED;
  }

  jpeg_start_decompress(cinfo);
  JSAMPROW rows[3][MAX_SAMP_FACTOR * DCTSIZE];
  JSAMPARRAY arrays[3] = {rows[0], rows[1], rows[2]};
  const JDIMENSION lines = (JDIMENSION)(cinfo->max_v_samp_factor * cinfo->min_DCT_scaled_size);
  for (int strip = 0; cinfo->output_scanline < cinfo->output_height; strip++) {
    for (int i = 0; i < cinfo->num_components; i++) {
      const jpeg_component_info *component = &cinfo->comp_info[i];
      const int count = component->v_samp_factor * component->DCT_scaled_size;
      for (int k = 0; k < count; k++) {
        const ptrdiff_t row = (ptrdiff_t)strip * count + k;
        rows[i][k] = row < (ptrdiff_t)component->downsampled_height ? planes[i] + strides[i] * row : decoder->spare;
      }
    }
    if (jpeg_read_raw_data(cinfo, arrays, lines) != lines) return CJPEG_DAMAGED;
  }
  jpeg_finish_decompress(cinfo);
  return CJPEG_OK;
}

const char *cjpeg_decoder_message(const cjpeg_decoder *decoder) {
  return decoder->errors.message;
}
