#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CHEIF.h"
#include "library.h"

typedef struct output {
  uint8_t *bytes;
  size_t count;
} output;

typedef struct writer {
  const cheif_library *heif;
  struct heif_context *context;
  struct heif_encoder *encoder;
  struct heif_encoding_options *options;
  struct heif_color_profile_nclx *colors;
} writer;

static const struct heif_error no_error = {heif_error_Ok, heif_suberror_Unspecified, ""};
static const struct heif_error no_memory = {heif_error_Memory_allocation_error, heif_suberror_Unspecified,
                                            "out of memory"};

static struct heif_error take(struct heif_context *context, const void *bytes, size_t count, void *target) {
  (void)context;
  output *const out = target;
  out->bytes = malloc(count);
  if (!out->bytes) return no_memory;
  memcpy(out->bytes, bytes, count);
  out->count = count;
  return no_error;
}

static struct heif_error fill(const writer *w, struct heif_image *image, enum heif_channel channel,
                              const uint8_t *source, ptrdiff_t source_stride, int width, int height) {
  const struct heif_error error = w->heif->heif_image_add_plane(image, channel, width, height, 8);
  if (error.code != heif_error_Ok) return error;
  int stride = 0;
  uint8_t *const target = w->heif->heif_image_get_plane(image, channel, &stride);
  if (!target) return no_memory;
  // libheif cannot borrow memory, so the samples are copied.
  for (int row = 0; row < height; row++)
    memcpy(target + (size_t)stride * (size_t)row, source + source_stride * row, (size_t)width);
  return no_error;
}

static struct heif_error encode(const writer *w, const cheif_picture *picture, struct heif_image_handle **handle) {
  const cheif_library *const heif = w->heif;
  struct heif_image *image = NULL;
  struct heif_error error =
      heif->heif_image_create(picture->width, picture->height, heif_colorspace_YCbCr, heif_chroma_420, &image);
  if (error.code != heif_error_Ok) return error;
  const int width = (picture->width + 1) / 2, height = (picture->height + 1) / 2;
  error = fill(w, image, heif_channel_Y, picture->y, picture->y_stride, picture->width, picture->height);
  if (error.code == heif_error_Ok)
    error = fill(w, image, heif_channel_Cb, picture->u, picture->u_stride, width, height);
  if (error.code == heif_error_Ok)
    error = fill(w, image, heif_channel_Cr, picture->v, picture->v_stride, width, height);
  if (error.code == heif_error_Ok) error = heif->heif_image_set_nclx_color_profile(image, w->colors);
  if (error.code == heif_error_Ok)
    error = heif->heif_context_encode_image(w->context, image, w->encoder, w->options, handle);
  heif->heif_image_release(image);
  return error;
}

static struct heif_error prepare(writer *w, int quality) {
  const cheif_library *const heif = w->heif;
  w->context = heif->heif_context_alloc();
  w->options = heif->heif_encoding_options_alloc();
  w->colors = heif->heif_nclx_color_profile_alloc();
  if (!w->context || !w->options || !w->colors) return no_memory;
  // The colours are sRGB as in JFIF: full range, with the matrix of BT.601.
  w->colors->color_primaries = heif_color_primaries_ITU_R_BT_709_5;
  w->colors->transfer_characteristics = heif_transfer_characteristic_IEC_61966_2_1;
  w->colors->matrix_coefficients = heif_matrix_coefficients_ITU_R_BT_601_6;
  w->colors->full_range_flag = 1;
  w->options->output_nclx_profile = w->colors;
  w->options->macOS_compatibility_workaround_no_nclx_profile = 0;

  struct heif_error error = heif->heif_context_get_encoder_for_format(w->context, heif_compression_HEVC, &w->encoder);
  if (error.code == heif_error_Ok) error = heif->heif_encoder_set_lossy_quality(w->encoder, quality);
  // The preset "ultrafast" takes a quarter of the time of the next slower preset, for a still picture of the same
  // quality. x265 gets no thread pool, which would take every core from the previews.
  static const char *const parameters[][2] = {
      {"preset", "ultrafast"}, {"x265:pools", "none"}, {"x265:frame-threads", "1"}};
  for (size_t i = 0; error.code == heif_error_Ok && i < sizeof parameters / sizeof *parameters; i++)
    error = heif->heif_encoder_set_parameter_string(w->encoder, parameters[i][0], parameters[i][1]);
  return error;
}

static struct heif_error write_all(const writer *w, const cheif_picture *picture, const cheif_picture *thumbnail,
                                   const uint8_t *exif, size_t exif_count, output *out) {
  const cheif_library *const heif = w->heif;
  struct heif_image_handle *whole = NULL, *small = NULL;
  struct heif_error error = encode(w, picture, &whole);
  if (error.code == heif_error_Ok && thumbnail) {
    error = encode(w, thumbnail, &small);
    // The header of libheif names the two handles the other way round (strukturag/libheif, issue 93).
    if (error.code == heif_error_Ok) error = heif->heif_context_assign_thumbnail(w->context, small, whole);
  }
  if (error.code == heif_error_Ok) error = heif->heif_context_set_primary_image(w->context, whole);
  if (error.code == heif_error_Ok && exif_count > 0)
    error = heif->heif_context_add_exif_metadata(w->context, whole, exif, (int)exif_count);
  struct heif_writer target = {.writer_api_version = 1, .write = take};
  if (error.code == heif_error_Ok) error = heif->heif_context_write(w->context, &target, out);
  if (small) heif->heif_image_handle_release(small);
  if (whole) heif->heif_image_handle_release(whole);
  return error;
}

uint8_t *cheif_write(const cheif_picture *picture, const cheif_picture *thumbnail, int quality, const uint8_t *exif,
                     size_t exif_count, size_t *count, char message[160]) {
  writer w = {.heif = cheif_library_load()};
  if (!w.heif) {
    snprintf(message, 160, "libheif, or its encoder for HEVC, is not installed");
    return NULL;
  }
  output out = {0};
  struct heif_error error = prepare(&w, quality);
  if (error.code == heif_error_Ok) error = write_all(&w, picture, thumbnail, exif, exif_count, &out);
  if (error.code != heif_error_Ok) snprintf(message, 160, "%s", error.message ? error.message : "unknown");
  if (w.encoder) w.heif->heif_encoder_release(w.encoder);
  if (w.options) {
    w.options->output_nclx_profile = NULL;
    w.heif->heif_encoding_options_free(w.options);
  }
  if (w.colors) w.heif->heif_nclx_color_profile_free(w.colors);
  if (w.context) w.heif->heif_context_free(w.context);
  if (error.code == heif_error_Ok) {
    *count = out.count;
    return out.bytes;
  }
  free(out.bytes);
  return NULL;
}
