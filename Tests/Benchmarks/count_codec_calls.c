// Counts how often a process begins to compress or decompress a picture by libjpeg, or converts, scales or turns one
// (or a part) by libyuv or libv4lconvert: build as a shared library, preload it, and name a file of sixteen bytes in
// CODEC_CALLS. The count lies in it, mapped, and after it how many of these calls began to compress a picture.
// build_codec_counter fails when the daemon calls one that is not here.
//
// Only calls from one library into another are seen. So not what the daemon does by itself (CYUV's colours and tones,
// CPhotoFusion, loops in Swift), nor what libraries do that it loads by dlopen and asks by dlsym: libavcodec for H.264,
// libheif. None counted means none of these libraries' calls, not that no picture was touched.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct counts {
  uint64_t calls;
  uint64_t encodings;
} counts;

static counts unmapped;
static counts *count = &unmapped;

__attribute__((constructor)) static void map_count(void) {
  const char *path = getenv("CODEC_CALLS");
  const int file = path == NULL ? -1 : open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return;
  void *mapped = mmap(NULL, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (mapped != MAP_FAILED) count = mapped;
}

// What follows goes on to the library with the arguments as they came, all of them integers and pointers and at most
// 22 (I420Blend's). Passing on words that are no arguments changes nothing.
typedef uintptr_t Word;
typedef Word Function(Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word,
                      Word, Word, Word, Word, Word, Word);

#define COUNTED_AS(name, ...)                                                                                       \
  Word name(Word a, Word b, Word c, Word d, Word e, Word f, Word g, Word h, Word i, Word j, Word k, Word l, Word m, \
            Word n, Word o, Word p, Word q, Word r, Word s, Word t, Word u, Word v) {                               \
    static Function *next;                                                                                          \
    if (next == NULL) next = (Function *)dlsym(RTLD_NEXT, #name);                                                   \
    __VA_ARGS__;                                                                                                    \
    return next(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v);                                  \
  }
#define ADD(what) __atomic_fetch_add(&count->what, 1, __ATOMIC_RELAXED)
#define COUNTED(name) COUNTED_AS(name, ADD(calls))
#define ENCODING(name) COUNTED_AS(name, ADD(calls), ADD(encodings))

ENCODING(jpeg_start_compress)
COUNTED(jpeg_start_decompress)
COUNTED(v4lconvert_convert)
COUNTED(ARGBCopy)
COUNTED(ARGBExtractAlpha)
COUNTED(ARGBRotate)
COUNTED(ARGBScale)
COUNTED(ARGBToI420)
COUNTED(ARGBToJ420)
COUNTED(ARGBToRAW)
COUNTED(ARGBToRGB24)
COUNTED(ARGBUnattenuate)
COUNTED(Convert16To8Plane)
COUNTED(I420Blend)
COUNTED(I420ToARGBMatrix)
COUNTED(I420ToRGB24Matrix)
COUNTED(I420ToUYVY)
COUNTED(I420ToYUY2)
COUNTED(I422ToARGBMatrix)
COUNTED(I422ToRGB24Matrix)
COUNTED(I422ToUYVY)
COUNTED(I422ToYUY2)
COUNTED(InterpolatePlane)
COUNTED(MergeUVPlane)
COUNTED(RAWToARGB)
COUNTED(RAWToI420)
COUNTED(RAWToJ420)
COUNTED(RGB24ToARGB)
COUNTED(RGB24ToI420)
COUNTED(RGB24ToJ420)
COUNTED(RotatePlane)
COUNTED(ScalePlane)
COUNTED(SplitUVPlane)
COUNTED(UYVYToI420)
COUNTED(UYVYToI422)
COUNTED(YUY2ToI420)
COUNTED(YUY2ToI422)
