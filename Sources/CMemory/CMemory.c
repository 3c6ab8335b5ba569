#include "CMemory.h"

#include <malloc.h>

void CMemory_give_back_large_blocks(void) {
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
}
