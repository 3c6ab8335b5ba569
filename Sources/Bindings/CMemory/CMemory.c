#include "CMemory.h"

#include <malloc.h>
#include <sys/sysinfo.h>

void CMemory_keep_small(void) {
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  mallopt(M_ARENA_MAX, get_nprocs());
}
