// Counts how often a process begins to compress or decompress a picture by libjpeg, or converts, scales or rotates a
// picture or a part of one by libyuv or libv4lconvert. Build this file as a shared library, preload it, and name a file
// of at least sixteen bytes in CODEC_CALLS. The library maps the file, which then holds the number of calls, and after
// it the number of calls that began to compress a picture. build_codec_counter fails when the daemon calls a function
// that is missing here.
//
// The library sees only calls from one library into another. It does not see work of the daemon itself (CYUV's colours
// and tones, CPhotoFusion, loops in Swift), nor of libraries that the daemon loads by dlopen and calls by dlsym:
// libavcodec for H.264, libheif. A count of 0 means no calls of these libraries, not that no picture was touched.

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

// The functions below pass their arguments on to the library. The arguments are integers and pointers, at most 22
// (I420Blend has so many). Passing on words that are no arguments changes nothing.
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
COUNTED(BlendPlane)
COUNTED(Convert16To8Plane)
COUNTED(CopyPlane)
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
COUNTED(MirrorPlane)
COUNTED(RAWToARGB)
COUNTED(RAWToI420)
COUNTED(RAWToJ420)
COUNTED(RGB24ToARGB)
COUNTED(RGB24ToI420)
COUNTED(RGB24ToJ420)
COUNTED(RotatePlane)
COUNTED(RotatePlane_16)
COUNTED(ScalePlane)
COUNTED(SplitUVPlane)
COUNTED(UYVYToI420)
COUNTED(UYVYToI422)
COUNTED(YUY2ToI420)
COUNTED(YUY2ToI422)
COUNTED(YUY2ToNV12)
