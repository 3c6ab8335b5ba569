// Loads libheif with dlopen. This header is private to the module.
#ifndef CHEIF_LIBRARY_H
#define CHEIF_LIBRARY_H

#include <libheif/heif.h>
#include <stdbool.h>

// The functions of libheif that this module calls. Their types come from libheif's headers. The name of the library
// includes its major version, so that the loaded library matches these headers.
#define CHEIF_FUNCTIONS(use)                                                                                      \
  use(heif_have_encoder_for_format) use(heif_context_alloc) use(heif_context_free)                                \
      use(heif_context_get_encoder_for_format) use(heif_encoder_release) use(heif_encoder_set_lossy_quality)      \
          use(heif_encoder_set_parameter_string) use(heif_encoding_options_alloc) use(heif_encoding_options_free) \
              use(heif_nclx_color_profile_alloc) use(heif_nclx_color_profile_free)                                \
                  use(heif_image_set_nclx_color_profile) use(heif_image_create) use(heif_image_add_plane)         \
                      use(heif_image_get_plane) use(heif_image_release) use(heif_context_encode_image)            \
                          use(heif_image_handle_release) use(heif_context_assign_thumbnail)                       \
                              use(heif_context_set_primary_image) use(heif_context_add_exif_metadata)             \
                                  use(heif_context_write)

#define CHEIF_MEMBER(name) __typeof__(&name) name;

typedef struct cheif_library {
  CHEIF_FUNCTIONS(CHEIF_MEMBER)
} cheif_library;

/// Loads libheif at the first call. Any thread may call this function.
///
/// - Returns: the functions, in static memory that is never freed; null when libheif is not installed or has no encoder
///   for HEVC.
const cheif_library *cheif_library_load(void);

#endif
