#include "errors.h"

#include <jerror.h>

static cjpeg_errors *errors_of(j_common_ptr cinfo) {
  return (cjpeg_errors *)cinfo->err;
}

void cjpeg_escape(j_common_ptr cinfo, cjpeg_result result) {
  cjpeg_errors *errors = errors_of(cinfo);
  errors->result = result;
  (*cinfo->err->format_message)(cinfo, errors->message);
  longjmp(errors->escape, 1);
}

static void error_exit(j_common_ptr cinfo) {
  // A lack of memory is not the fault of the picture.
  const int is_of_picture = cinfo->is_decompressor && cinfo->err->msg_code != JERR_OUT_OF_MEMORY;
  cjpeg_escape(cinfo, is_of_picture ? CJPEG_DAMAGED : CJPEG_FAILED);
}

// libjpeg conceals damage: it only warns, and fills the damaged part with grey. The daemon rather drops a camera's
// damaged frame than shows it, so this callback turns a warning into an error. The exception is stray bytes between
// segments, which some cameras always send.
static void emit_message(j_common_ptr cinfo, int level) {
  if (level >= 0) return;
  if (cinfo->err->msg_code == JWRN_EXTRANEOUS_DATA) return;
  cjpeg_escape(cinfo, CJPEG_DAMAGED);
}

static void output_message(j_common_ptr cinfo) {
  (void)cinfo;
}

struct jpeg_error_mgr *cjpeg_errors_init(cjpeg_errors *errors) {
  jpeg_std_error(&errors->manager);
  errors->manager.error_exit = error_exit;
  errors->manager.emit_message = emit_message;
  errors->manager.output_message = output_message;
  cjpeg_errors_reset(errors);
  return &errors->manager;
}

void cjpeg_errors_reset(cjpeg_errors *errors) {
  errors->result = CJPEG_FAILED;
  errors->message[0] = '\0';
}
