// Both encoders make libavutil's frames with these functions. This header is private to the module.
#ifndef CVIDEOCODING_FRAMES_H
#define CVIDEOCODING_FRAMES_H

#include "CVideoCoding.h"
#include "library.h"

/// Makes a frame refer to the caller's memory where it lies, from data[0] on.
///
/// - byte_count: the number of bytes of the memory that belong to the picture. Nothing frees them.
/// - Returns: 0, or a negative error of libavutil.
int cvideo_lend(const cvideo_library *av, AVFrame *frame, size_t byte_count);

/// Allocates memory on the graphics card, into which each NV12 picture of the context's size is copied. The context
/// owns the memory.
///
/// - Returns: 0, or a negative error of libavutil.
int cvideo_prepare_card(const cvideo_library *av, AVCodecContext *context);

/// Gives a frame to an encoder.
///
/// - on_card: the frame that takes the copy for an encoder which reads only its own memory; null for other encoders.
/// - Returns: 0, or a negative error of libavcodec.
int cvideo_send(const cvideo_library *av, AVCodecContext *context, AVFrame *frame, AVFrame *on_card, int64_t time,
                bool is_key_frame);

/// The code of a matrix in libavutil.
enum AVColorSpace cvideo_space(cvideo_matrix matrix);

/// The code of the primaries that belong to a matrix.
enum AVColorPrimaries cvideo_primaries(cvideo_matrix matrix);

#endif
