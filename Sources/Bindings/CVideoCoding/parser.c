#include <limits.h>
#include <string.h>

#include "CVideoParser.h"
#include "library.h"

// Parses `count` bytes, which AV_INPUT_BUFFER_PADDING_SIZE zeros follow.
static void parse(const cvideo_library *av, AVCodecParserContext *parser, AVCodecContext *context, const uint8_t *bytes,
                  int count, cvideo_access_unit *unit) {
  uint8_t *found = NULL;
  int found_count = 0;
  // The parser gives an access unit when it sees the next one, or when it is told that no more bytes come.
  const int taken =
      av->av_parser_parse2(parser, context, &found, &found_count, bytes, count, AV_NOPTS_VALUE, AV_NOPTS_VALUE, 0);
  unit->has_another = taken < count || found_count > 0;
  if (!unit->has_another) {
    av->av_parser_parse2(parser, context, &found, &found_count, NULL, 0, AV_NOPTS_VALUE, AV_NOPTS_VALUE, 0);
  }
  // The parser names the structure last, after it has read the head of a slice with its parameter sets.
  if (parser->picture_structure == AV_PICTURE_STRUCTURE_UNKNOWN) return;
  unit->width = parser->width;
  unit->height = parser->height;
}

cvideo_result cvideo_parse_access_unit(const uint8_t *sets, size_t count_of_sets, const uint8_t *bytes, size_t count,
                                       cvideo_access_unit *unit) {
  *unit = (cvideo_access_unit){0};
  const cvideo_library *const av = cvideo_library_load();
  if (!av || count > INT_MAX / 2 || count_of_sets > INT_MAX / 4) return CVIDEO_FAILED;
  uint8_t *padded = av->av_mallocz(count_of_sets + count + AV_INPUT_BUFFER_PADDING_SIZE);
  AVCodecContext *context = av->avcodec_alloc_context3(NULL);
  AVCodecParserContext *const parser = av->av_parser_init(AV_CODEC_ID_H264);
  const bool is_ready = padded && context && parser;
  if (is_ready) {
    if (count_of_sets > 0) memcpy(padded, sets, count_of_sets);
    if (count > 0) memcpy(padded + count_of_sets, bytes, count);
    context->codec_type = AVMEDIA_TYPE_VIDEO;
    context->codec_id = AV_CODEC_ID_H264;
    parse(av, parser, context, padded, (int)(count_of_sets + count), unit);
  }
  if (parser) av->av_parser_close(parser);
  av->avcodec_free_context(&context);
  av->av_freep(&padded);
  return is_ready ? CVIDEO_OK : CVIDEO_FAILED;
}
