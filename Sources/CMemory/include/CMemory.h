// What Swift's Glibc module leaves out of <malloc.h>.
#ifndef CMEMORY_H
#define CMEMORY_H

#ifdef __cplusplus
extern "C" {
#endif

// Has every block of 1 MiB or more come from the system and go back to it when freed. Left alone, glibc takes the first
// large block that is freed as a sign to keep all later ones in its arenas, one for each thread: pictures leave holes
// there, and a daemon that runs no session any more would still hold a gigabyte. To be called before there are threads.
void CMemory_give_back_large_blocks(void);

#ifdef __cplusplus
}
#endif

#endif
