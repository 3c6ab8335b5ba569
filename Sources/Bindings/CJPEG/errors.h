// Error handling for the encoder and the decoder: libjpeg's error callbacks become results. This header is private to
// the module.
#ifndef CJPEG_ERRORS_H
#define CJPEG_ERRORS_H

#include <setjmp.h>
#include <stdio.h>
// <setjmp.h> and <stdio.h> come first: jpeglib.h uses FILE and size_t without including their headers.
#include <jpeglib.h>

#include "CJPEG.h"

typedef struct cjpeg_errors {
  struct jpeg_error_mgr manager;  // must be first: libjpeg passes its address back
  jmp_buf escape;                 // set by every function before it calls libjpeg
  cjpeg_result result;
  char message[JMSG_LENGTH_MAX];
} cjpeg_errors;

/// Initialises `errors`, and returns the pointer that `cinfo->err` must hold.
struct jpeg_error_mgr *cjpeg_errors_init(cjpeg_errors *errors);

/// Clears the error of the last picture.
void cjpeg_errors_reset(cjpeg_errors *errors);

/// Leaves libjpeg and continues at the setjmp of the calling function of this module, which then returns `result`.
_Noreturn void cjpeg_escape(j_common_ptr cinfo, cjpeg_result result);

#endif
