// What both directions share: libjpeg's error callbacks turned into results. Private to this module.
#ifndef CJPEG_ERRORS_H
#define CJPEG_ERRORS_H

#include <setjmp.h>
#include <stdio.h>
// jpeglib.h wants the two above first: it uses FILE and size_t without including them.
#include <jpeglib.h>

#include "CJPEG.h"

typedef struct cjpeg_errors {
  struct jpeg_error_mgr manager;  // first: libjpeg hands it back to us as this struct
  jmp_buf escape;                 // set by every function before it enters libjpeg
  cjpeg_result result;
  char message[JMSG_LENGTH_MAX];
} cjpeg_errors;

/// Fills `errors` and returns what `cinfo->err` must be.
struct jpeg_error_mgr *cjpeg_errors_init(cjpeg_errors *errors);

/// Forgets the last picture's failure.
void cjpeg_errors_reset(cjpeg_errors *errors);

/// Leaves libjpeg for the function's setjmp, which returns `result`.
_Noreturn void cjpeg_escape(j_common_ptr cinfo, cjpeg_result result);

#endif
