#include "parameter_sets.h"

#include <stdlib.h>
#include <string.h>

const uint8_t *cvideo_start_code(const uint8_t *byte, const uint8_t *end) {
  for (; end - byte >= 3; byte++) {
    if (byte[0] == 0 && byte[1] == 0 && byte[2] == 1) return byte;
  }
  return end;
}

const uint8_t *cvideo_unit_end(const uint8_t *unit, const uint8_t *next) {
  while (next > unit && next[-1] == 0) next--;
  return next;
}

// Reads a number of an Exp-Golomb code (ITU-T H.264, 9.1), or returns -1 for one that is too large.
static int read_number(const uint8_t *bytes, size_t count) {
  const size_t bits = count * 8;
  size_t bit = 0;
  while (bit < bits && !(bytes[bit / 8] >> (7 - bit % 8) & 1)) bit++;
  const size_t zeros = bit;
  if (zeros > 8 || bit + zeros >= bits) return -1;
  int number = 0;
  for (size_t end = bit + zeros; bit <= end; bit++) number = number << 1 | (bytes[bit / 8] >> (7 - bit % 8) & 1);
  return number - 1;
}

// The lists of parameter sets in a track of H.264 (ISO/IEC 14496-15, 5.3.3.1). All of them point into the track.
typedef struct avc {
  const uint8_t *sequence;  // the first sequence parameter set, with its length before it
  const uint8_t *picture;   // the number of picture parameter sets
  const uint8_t *rest;      // what follows the picture parameter sets
  const uint8_t *end;
} avc;

// Goes over parameter sets, each with its length, and notes their ids as bits. Returns their end, or null.
static const uint8_t *pass(const uint8_t *set, const uint8_t *end, int count, size_t before_id, uint32_t *ids) {
  for (int i = 0; i < count; i++) {
    if (end - set < 2) return NULL;
    const size_t size = (size_t)set[0] << 8 | set[1];
    set += 2;
    if ((size_t)(end - set) < size || size <= before_id) return NULL;
    const int id = read_number(set + before_id, size - before_id);
    if (id >= 0 && id < 32) *ids |= 1u << id;
    set += size;
  }
  return set;
}

static bool parse(const cvideo_track *track, avc *avc, uint32_t *ids) {
  const uint8_t *const bytes = track->parameters->extradata;
  const int size = track->parameters->extradata_size;
  *ids = 0;
  // The samples have lengths of four bytes, as libavformat writes them.
  if (size < 7 || bytes[0] != 1 || (bytes[4] & 3) != 3) return false;
  avc->end = bytes + size;
  avc->sequence = bytes + 6;
  // The id of a sequence parameter set comes after the kind of the unit, the profile, its limits and the level.
  avc->picture = pass(avc->sequence, avc->end, bytes[5] & 0x1f, 4, ids);
  if (!avc->picture || avc->picture == avc->end) return false;
  avc->rest = pass(avc->picture + 1, avc->end, avc->picture[0], 1, ids);
  return avc->rest;
}

int cvideo_free_set_id(const cvideo_track *track) {
  avc avc;
  uint32_t ids;
  if (!parse(track, &avc, &ids)) return -1;
  for (int id = 0; id < 32; id++) {
    if (!(ids >> id & 1)) return id;
  }
  return -1;
}

static cvideo_track *copy(const cvideo_track *track, size_t size) {
  cvideo_track *const made = cvideo_track_allocate(track->av);
  if (!made) return NULL;
  if (track->av->avcodec_parameters_copy(made->parameters, track->parameters) >= 0) {
    uint8_t *const bytes = track->av->av_mallocz(size + AV_INPUT_BUFFER_PADDING_SIZE);
    if (bytes) {
      track->av->av_freep(&made->parameters->extradata);
      made->parameters->extradata = bytes;
      made->parameters->extradata_size = (int)size;
      made->is_turned = track->is_turned;
      memcpy(made->display_matrix, track->display_matrix, sizeof made->display_matrix);
      return made;
    }
  }
  cvideo_track_destroy(made);
  return NULL;
}

// Finds the first unit of a kind in annex B. Returns its size, or 0.
static size_t find(const uint8_t *bytes, size_t count, int kind, const uint8_t **unit) {
  const uint8_t *const end = bytes + count;
  const uint8_t *code = cvideo_start_code(bytes, end);
  while (end - code > 3) {
    const uint8_t *const next = cvideo_start_code(code + 3, end);
    *unit = code + 3;
    if ((**unit & 0x1f) == kind) return (size_t)(cvideo_unit_end(*unit, next) - *unit);
    code = next;
  }
  return 0;
}

static uint8_t *put(uint8_t *target, const uint8_t *bytes, size_t count) {
  memcpy(target, bytes, count);
  return target + count;
}

static uint8_t *put_set(uint8_t *target, const uint8_t *set, size_t count) {
  *target++ = (uint8_t)(count >> 8);
  *target++ = (uint8_t)count;
  return put(target, set, count);
}

cvideo_track *cvideo_track_with_sets(const cvideo_track *track, const uint8_t *sets, size_t count) {
  avc avc;
  uint32_t ids;
  const uint8_t *sequence = NULL, *picture = NULL;
  const size_t sequence_size = find(sets, count, 7, &sequence), picture_size = find(sets, count, 8, &picture);
  if (!parse(track, &avc, &ids) || sequence_size < 4 || picture_size == 0) return NULL;
  if (sequence_size > UINT16_MAX || picture_size > UINT16_MAX) return NULL;
  const uint8_t *const old = track->parameters->extradata;
  if ((old[5] & 0x1f) == 0x1f || avc.picture[0] == 0xff) return NULL;
  cvideo_track *const made = copy(track, (size_t)track->parameters->extradata_size + 4 + sequence_size + picture_size);
  if (!made) return NULL;
  uint8_t *const bytes = made->parameters->extradata;
  uint8_t *next = put(bytes, old, 6);
  // One header describes both sets. It names the higher profile and the higher level of the two, so that a decoder for
  // it can decode both, and it keeps only those constraints that both sets meet.
  if (bytes[1] < sequence[1]) bytes[1] = sequence[1];
  bytes[2] &= sequence[2];
  if (bytes[3] < sequence[3]) bytes[3] = sequence[3];
  bytes[5]++;
  next = put(next, avc.sequence, (size_t)(avc.picture - avc.sequence));
  next = put_set(next, sequence, sequence_size);
  *next++ = (uint8_t)(avc.picture[0] + 1);
  next = put(next, avc.picture + 1, (size_t)(avc.rest - avc.picture - 1));
  next = put_set(next, picture, picture_size);
  put(next, avc.rest, (size_t)(avc.end - avc.rest));
  return made;
}

// The lists of parameter sets in a track of HEVC begin here (ISO/IEC 14496-15, 8.3.3.1).
enum { HEVC_LISTS = 23 };

cvideo_track *cvideo_track_with_sets_in_samples(const cvideo_track *track) {
  const int size = track->parameters->extradata_size;
  if (cvideo_copy_sets(track, NULL) == 0) return NULL;
  cvideo_track *const made = copy(track, (size_t)size);
  if (!made) return NULL;
  uint8_t *const bytes = made->parameters->extradata;
  memcpy(bytes, track->parameters->extradata, (size_t)size);
  made->parameters->codec_tag = MKTAG('h', 'e', 'v', '1');
  // Clear the first bit of each list. When the bit is set, it promises that samples hold no parameter sets of that
  // kind.
  int place = HEVC_LISTS;
  for (int list = 0; list < bytes[HEVC_LISTS - 1]; list++) {
    bytes[place] &= 0x7f;
    int sets = bytes[place + 1] << 8 | bytes[place + 2];
    for (place += 3; sets > 0; sets--) place += 2 + (bytes[place] << 8 | bytes[place + 1]);
  }
  return made;
}

size_t cvideo_copy_sets(const cvideo_track *track, uint8_t *target) {
  const uint8_t *const bytes = track->parameters->extradata, *const end = bytes + track->parameters->extradata_size;
  if (end - bytes <= HEVC_LISTS || bytes[0] != 1 || (bytes[21] & 3) != 3) return 0;
  const uint8_t *next = bytes + HEVC_LISTS;
  size_t written = 0;
  for (int list = 0; list < bytes[HEVC_LISTS - 1]; list++) {
    if (end - next < 3) return 0;
    int sets = next[1] << 8 | next[2];
    for (next += 3; sets > 0; sets--) {
      if (end - next < 2) return 0;
      const size_t size = (size_t)next[0] << 8 | next[1];
      if ((size_t)(end - next) < 2 + size) return 0;
      if (target) {
        memset(target + written, 0, 2);
        memcpy(target + written + 2, next, 2 + size);
      }
      written += 4 + size;
      next += 2 + size;
    }
  }
  return written;
}
