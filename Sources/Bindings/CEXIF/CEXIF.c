#include "CEXIF.h"

#include <libexif/exif-data.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const ExifByteOrder order = EXIF_BYTE_ORDER_INTEL;

// Adds an entry without a value. Returns the memory of the value, which the entry owns, or null when out of memory.
static unsigned char *add(ExifData *exif, ExifIfd ifd, ExifTag tag, ExifFormat format, size_t components) {
  ExifMem *memory = exif_mem_new_default();
  if (!memory) return NULL;
  const size_t size = components * exif_format_get_size(format);
  ExifEntry *entry = exif_entry_new_mem(memory);
  unsigned char *data = exif_mem_alloc(memory, (ExifLong)size);
  if (entry && data) {
    entry->tag = tag;
    entry->format = format;
    entry->components = components;
    entry->data = data;
    entry->size = (unsigned int)size;
    exif_content_add_entry(exif->ifd[ifd], entry);
  } else if (data) {
    exif_mem_free(memory, data);
    data = NULL;
  }
  if (entry) exif_entry_unref(entry);
  exif_mem_unref(memory);
  return data;
}

static int add_bytes(ExifData *exif, ExifIfd ifd, ExifTag tag, ExifFormat format, const void *bytes, size_t count) {
  unsigned char *data = add(exif, ifd, tag, format, count);
  if (data) memcpy(data, bytes, count);
  return data != NULL;
}

static int add_text(ExifData *exif, ExifIfd ifd, ExifTag tag, const char *text) {
  return !text || add_bytes(exif, ifd, tag, EXIF_FORMAT_ASCII, text, strlen(text) + 1);
}

static int add_short(ExifData *exif, ExifIfd ifd, ExifTag tag, int value) {
  unsigned char *data = add(exif, ifd, tag, EXIF_FORMAT_SHORT, 1);
  if (data) exif_set_short(data, order, (ExifShort)value);
  return data != NULL;
}

static int add_long(ExifData *exif, ExifIfd ifd, ExifTag tag, int value) {
  unsigned char *data = add(exif, ifd, tag, EXIF_FORMAT_LONG, 1);
  if (data) exif_set_long(data, order, (ExifLong)value);
  return data != NULL;
}

static int add_rational(ExifData *exif, ExifIfd ifd, ExifTag tag, uint32_t numerator, uint32_t denominator) {
  unsigned char *data = add(exif, ifd, tag, EXIF_FORMAT_RATIONAL, 1);
  if (data) exif_set_rational(data, order, (ExifRational){numerator, denominator});
  return data != NULL;
}

// EXIF requires a resolution, and specifies 72 dpi for pictures whose resolution is unknown.
static int add_resolution(ExifData *exif, ExifIfd ifd) {
  return add_rational(exif, ifd, EXIF_TAG_X_RESOLUTION, 72, 1) &&
         add_rational(exif, ifd, EXIF_TAG_Y_RESOLUTION, 72, 1) && add_short(exif, ifd, EXIF_TAG_RESOLUTION_UNIT, 2);
}

static int add_times(ExifData *exif, const cexif_photo *photo) {
  const time_t seconds = (time_t)photo->seconds;
  struct tm local;
  if (!localtime_r(&seconds, &local)) return 0;
  char date[20], fraction[12], offset[8];
  if (strftime(date, sizeof date, "%Y:%m:%d %H:%M:%S", &local) == 0) return 0;
  // The fraction has microseconds, cut off and not rounded: drivers give times in microseconds, and programs read that
  // many digits.
  snprintf(fraction, sizeof fraction, "%06d", photo->nanoseconds / 1000 % 1000000);
  const long minutes = labs(local.tm_gmtoff) / 60;
  snprintf(offset, sizeof offset, "%c%02ld:%02ld", local.tm_gmtoff < 0 ? '-' : '+', minutes / 60 % 24, minutes % 60);
  const ExifIfd ifd = EXIF_IFD_EXIF;
  return add_text(exif, EXIF_IFD_0, EXIF_TAG_DATE_TIME, date) &&
         add_text(exif, ifd, EXIF_TAG_DATE_TIME_ORIGINAL, date) &&
         add_text(exif, ifd, EXIF_TAG_DATE_TIME_DIGITIZED, date) && add_text(exif, ifd, EXIF_TAG_OFFSET_TIME, offset) &&
         add_text(exif, ifd, EXIF_TAG_OFFSET_TIME_ORIGINAL, offset) &&
         add_text(exif, ifd, EXIF_TAG_OFFSET_TIME_DIGITIZED, offset) &&
         add_text(exif, ifd, EXIF_TAG_SUB_SEC_TIME, fraction) &&
         add_text(exif, ifd, EXIF_TAG_SUB_SEC_TIME_ORIGINAL, fraction) &&
         add_text(exif, ifd, EXIF_TAG_SUB_SEC_TIME_DIGITIZED, fraction);
}

static int add_comment(ExifData *exif, const char *text) {
  if (!text) return 1;
  // The first eight bytes of the comment name its character set.
  const size_t count = strlen(text);
  unsigned char *data = add(exif, EXIF_IFD_EXIF, EXIF_TAG_USER_COMMENT, EXIF_FORMAT_UNDEFINED, 8 + count);
  if (!data) return 0;
  memcpy(data, "ASCII\0\0\0", 8);
  memcpy(data + 8, text, count);
  return 1;
}

static int add_picture(ExifData *exif, const cexif_photo *photo) {
  const ExifIfd ifd = EXIF_IFD_EXIF;
  // The colour space is sRGB, and the pixels already lie in the orientation in which people look at them.
  if (!add_short(exif, EXIF_IFD_0, EXIF_TAG_ORIENTATION, 1) || !add_short(exif, ifd, EXIF_TAG_COLOR_SPACE, 1) ||
      !add_long(exif, ifd, EXIF_TAG_PIXEL_X_DIMENSION, photo->width) ||
      !add_long(exif, ifd, EXIF_TAG_PIXEL_Y_DIMENSION, photo->height) || !add_resolution(exif, EXIF_IFD_0))
    return 0;
  if (!photo->is_jpeg) return 1;
  // The components are Y, Cb, Cr. Each chroma sample lies in the middle of its pixels, as in JFIF.
  return add_bytes(exif, ifd, EXIF_TAG_COMPONENTS_CONFIGURATION, EXIF_FORMAT_UNDEFINED, "\1\2\3", 4) &&
         add_short(exif, EXIF_IFD_0, EXIF_TAG_YCBCR_POSITIONING, 1);
}

static int add_all(ExifData *exif, const cexif_photo *photo) {
  if (!add_bytes(exif, EXIF_IFD_EXIF, EXIF_TAG_EXIF_VERSION, EXIF_FORMAT_UNDEFINED, "0232", 4) ||
      !add_bytes(exif, EXIF_IFD_EXIF, EXIF_TAG_FLASH_PIX_VERSION, EXIF_FORMAT_UNDEFINED, "0100", 4) ||
      !add_text(exif, EXIF_IFD_0, EXIF_TAG_MODEL, photo->model) ||
      !add_text(exif, EXIF_IFD_0, EXIF_TAG_SOFTWARE, photo->software) || !add_comment(exif, photo->comment) ||
      !add_times(exif, photo) || !add_picture(exif, photo))
    return 0;
  if (photo->exposure_denominator > 0 && !add_rational(exif, EXIF_IFD_EXIF, EXIF_TAG_EXPOSURE_TIME,
                                                       photo->exposure_numerator, photo->exposure_denominator))
    return 0;
  if (photo->flash >= 0 && !add_short(exif, EXIF_IFD_EXIF, EXIF_TAG_FLASH, photo->flash)) return 0;
  if (!photo->thumbnail) return 1;
  return add_short(exif, EXIF_IFD_1, EXIF_TAG_COMPRESSION, 6) && add_resolution(exif, EXIF_IFD_1);
}

uint8_t *cexif_write(const cexif_photo *photo, size_t *count) {
  ExifData *exif = exif_data_new();
  if (!exif) return NULL;
  exif_data_set_byte_order(exif, order);
  unsigned char *written = NULL;
  unsigned int size = 0;
  if (add_all(exif, photo)) {
    // libexif only reads the thumbnail. The pointer is removed again before libexif would free it.
    exif->data = (unsigned char *)photo->thumbnail;
    exif->size = photo->thumbnail ? (unsigned int)photo->thumbnail_count : 0;
    exif_data_save_data(exif, &written, &size);
    exif->data = NULL;
    exif->size = 0;
  }
  exif_data_unref(exif);
  *count = size;
  return written;
}
