// The files of the viewfinder page, which are part of the binary, so that one file is to be installed.
#ifndef VIEWFINDER_PAGE_H
#define VIEWFINDER_PAGE_H

#include <stddef.h>
#include <stdint.h>

/// One file of the page. Everything in it belongs to the binary and lives for ever.
typedef struct viewfinder_file {
  /// The path of the file's URL, for example `/main.js`; `/` for index.html.
  const char *_Nonnull path;
  /// The `Content-Type`.
  const char *_Nonnull type;
  /// The bytes of the file.
  const uint8_t *_Nonnull bytes;
  /// The number of bytes.
  size_t count;
} viewfinder_file;

/// All files of the page.
extern const viewfinder_file *_Nonnull const viewfinder_files;

/// The number of files.
extern const size_t viewfinder_file_count;

#endif
