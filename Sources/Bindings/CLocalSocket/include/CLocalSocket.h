// Packets and file descriptors over a Unix socket, and memory that one process can hand to another by a descriptor.
// Swift's Glibc module leaves out the parts of <sys/socket.h> (the CMSG macros) and <sys/mman.h> (memfd_create,
// sealing) that these functions need.
//
// Every function is safe to call from any thread. Functions that return int or ssize_t return -errno when they fail.
#ifndef CLOCALSOCKET_H
#define CLOCALSOCKET_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

// Listens for packets (SOCK_SEQPACKET) at `path`. The socket file has mode 0600, so that other users cannot connect.
// Replaces a socket file at `path` on which no process listens any more. Returns the listening descriptor, which the
// caller owns.
int CLocalSocket_listen(const char *_Nonnull path);

// The process at the other end of a connection when it connected (SO_PEERCRED).
typedef struct {
  pid_t process;
  uid_t user;
  gid_t group;
} CLocalSocket_peer;

// Waits for the next connection. Returns the descriptor of the connection, which the caller owns, and writes the peer's
// process to `peer`. Returns -EINVAL after shutdown(2) of `listener`.
int CLocalSocket_accept(int listener, CLocalSocket_peer *_Nonnull peer);

// Waits for a packet and writes it to `buffer`. Returns the number of bytes written, or 0 when the connection has
// ended. The rest of a packet longer than `capacity` is lost. The kernel closes descriptors that arrive with the
// packet.
ssize_t CLocalSocket_receive(int descriptor, void *_Nonnull buffer, size_t capacity);

// Sends a packet of `count` bytes, together with a duplicate of the descriptor `attached` unless `attached` is
// negative. Returns 0 on success. Never waits: returns -EAGAIN when the socket is full because the peer does not read.
int CLocalSocket_send(int descriptor, const void *_Nonnull bytes, size_t count, int attached);

// Ends both directions of the connection, so that a thread that waits in CLocalSocket_accept or CLocalSocket_receive
// returns. The descriptor stays open.
void CLocalSocket_shut_down(int descriptor);

// Makes `size` bytes of memory that other processes can map for reading, but can neither write nor resize. The function
// maps the memory into this process and then seals it. All pages are allocated from the beginning. Writes the address
// of the mapping to `base` and returns the descriptor. The mapping and the descriptor belong to the caller, who gives
// both to CLocalSocket_destroy_memory.
int CLocalSocket_create_memory(size_t size, void *_Nullable *_Nonnull base);

// Unmaps `base` and closes `descriptor`, which CLocalSocket_create_memory made. Mappings of other processes stay valid.
void CLocalSocket_destroy_memory(int descriptor, void *_Nonnull base, size_t size);

#ifdef __cplusplus
}
#endif
#endif
