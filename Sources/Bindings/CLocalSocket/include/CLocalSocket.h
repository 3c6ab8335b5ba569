// Packets and file descriptors over a Unix socket, and memory that can be handed over by one: what Swift's Glibc module
// leaves out of <sys/socket.h> (the CMSG macros) and <sys/mman.h> (memfd_create, sealing).
//
// Every function is safe to call from any thread. Those that return int give -errno when they fail.
#ifndef CLOCALSOCKET_H
#define CLOCALSOCKET_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

// Listens for packets (SOCK_SEQPACKET) at `path`, which only this user may connect to. A socket file that nobody
// listens at any more is replaced. Returns the descriptor, which the caller owns.
int CLocalSocket_listen(const char *_Nonnull path);

// Waits for the next connection. Returns its descriptor, which the caller owns, and writes the user of the peer's
// process to `user`. Ends with -EINVAL after shutdown(2) of `listener`.
int CLocalSocket_accept(int listener, uid_t *_Nonnull user);

// Waits for a packet. Returns its length, 0 at the end; what does not fit `capacity` is cut off. Descriptors that come
// along are closed by the kernel.
ssize_t CLocalSocket_receive(int descriptor, void *_Nonnull buffer, size_t capacity);

// Sends a packet, with a duplicate of `attached` unless that is negative. Never waits: -EAGAIN when the peer does not
// read.
int CLocalSocket_send(int descriptor, const void *_Nonnull bytes, size_t count, int attached);

// Ends both directions, so that whoever waits in one of the above returns. The descriptor stays open.
void CLocalSocket_shut_down(int descriptor);

// Makes `size` bytes of memory that others can map, but neither resize nor write: sealed once it is mapped here. Its
// pages are there from the beginning. Writes where to `base`. Returns its descriptor; both belong to the caller until
// CLocalSocket_destroy_memory.
int CLocalSocket_create_memory(size_t size, void *_Nullable *_Nonnull base);

// Unmaps and closes what CLocalSocket_create_memory made; others keep what they have mapped.
void CLocalSocket_destroy_memory(int descriptor, void *_Nonnull base, size_t size);

#ifdef __cplusplus
}
#endif
#endif
