#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "CLibrary.h"

bool clibrary_is_installed(const char *name) {
  void *const program = dlopen(NULL, RTLD_LAZY);
  Dl_serinfo size;
  if (!program || dlinfo(program, RTLD_DI_SERINFOSIZE, &size) != 0) return false;
  Dl_serinfo *const folders = malloc(size.dls_size);
  if (!folders) return false;
  bool is_installed = false;
  if (dlinfo(program, RTLD_DI_SERINFOSIZE, folders) == 0 && dlinfo(program, RTLD_DI_SERINFO, folders) == 0) {
    for (unsigned int i = 0; i < folders->dls_cnt && !is_installed; i++) {
      char path[4096];
      struct stat status;
      snprintf(path, sizeof path, "%s/%s", folders->dls_serpath[i].dls_name, name);
      is_installed = stat(path, &status) == 0 && S_ISREG(status.st_mode);
    }
  }
  free(folders);
  // The list of folders leaves out those that only the loader's cache knows, such as /usr/local/lib. dlopen also finds
  // a library in these. The library then stays loaded, because some of the libraries that it loads in turn cannot be
  // unloaded safely.
  return is_installed || dlopen(name, RTLD_LAZY | RTLD_LOCAL) != NULL;
}
