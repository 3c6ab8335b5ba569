// The part of <malloc.h> that Swift's Glibc module leaves out.
#ifndef CMEMORY_H
#define CMEMORY_H

#ifdef __cplusplus
extern "C" {
#endif

// Makes the allocator hold little more memory than the process uses. The daemon must call this function before it
// starts threads.
//
// Every block of 1 MiB or more comes from the system, and returns to the system when it is freed. By default, glibc
// keeps all later large blocks in its arenas once the first large block was freed. Pictures then leave holes in the
// arenas, and a daemon without a session would still hold a gigabyte.
//
// The number of arenas is limited to the number of processors. By default, glibc makes eight arenas for each processor
// and gives every new thread another one. A daemon whose cameras come and go has hundreds of threads one after the
// other, and each arena would keep the holes that the pictures of its threads left.
void CMemory_keep_small(void);

#ifdef __cplusplus
}
#endif

#endif
