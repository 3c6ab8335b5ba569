// What Swift's Glibc module leaves out of <malloc.h>.
#ifndef CMEMORY_H
#define CMEMORY_H

#ifdef __cplusplus
extern "C" {
#endif

// Keeps the memory of the process to what it uses and little more. To be called before there are threads.
//
// Every block of 1 MiB or more comes from the system and goes back to it when freed. Left alone, glibc takes the first
// large block that is freed as a sign to keep all later ones in its arenas: pictures leave holes there, and a daemon
// that runs no session any more would still hold a gigabyte.
//
// There are as many arenas as processors. glibc makes eight for each, and gives every new thread another one. A daemon
// whose cameras come and go has hundreds of threads one after the other, and each arena keeps the holes of the pictures
// that its threads made.
void CMemory_keep_small(void);

#ifdef __cplusplus
}
#endif

#endif
