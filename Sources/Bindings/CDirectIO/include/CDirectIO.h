// The calls of Linux for files that bypass the page cache, which Swift's Glibc module leaves out: O_DIRECT, fallocate,
// reflinks, and io_uring by liburing. Functions return 0 or what their comment says, or a negative errno.
#ifndef CDIRECTIO_H
#define CDIRECTIO_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The types of file systems, as cdirectio_file_system returns them.
enum { CDIRECTIO_EXT4 = 0xEF53, CDIRECTIO_XFS = 0x58465342 };

/// Returns the type of the file system of an open file or folder, as statfs gives it.
int64_t cdirectio_file_system(int descriptor);

/// Opens a file for reading and for writing past the page cache, and follows no symbolic link.
///
/// - folder: a descriptor of the folder.
/// - makes: whether the file is made; it must not exist then.
/// - syncs: whether each write is on the storage when it returns.
/// - Returns: a descriptor that the caller closes.
int cdirectio_open(int folder, const char *_Nonnull name, bool makes, bool syncs);

/// Opens a new file without a name, which goes when it is closed, as cdirectio_open does.
int cdirectio_open_unnamed(int folder);

/// Allocates the bytes from 0 to `size`, and makes the file this large.
int cdirectio_allocate(int descriptor, uint64_t size);

/// Lets a range of one file share the blocks of a range of another file of the same file system.
int cdirectio_clone(int from, uint64_t from_offset, int to, uint64_t to_offset, uint64_t count);

/// Renames a file of a folder, unless there is a file of the new name.
int cdirectio_rename(int folder, const char *_Nonnull name, const char *_Nonnull new_name);

/// A queue of writes that the kernel works on at the same time. One thread at a time may use it.
typedef struct cdirectio_ring cdirectio_ring;

/// Makes a queue.
///
/// - depth: the most writes at once.
/// - ring: set on success to a queue that the caller gives to cdirectio_ring_destroy.
/// - Returns: -ENOSYS or -EPERM where the kernel or a filter of system calls does not allow io_uring.
int cdirectio_ring_create(unsigned depth, cdirectio_ring *_Nullable *_Nonnull ring);

/// Begins a write. The bytes must stay until cdirectio_ring_next returns the tag, unless the write does not begin.
///
/// - tag: any number but UINT64_MAX.
/// - Returns: 0, or a negative errno when the write does not begin: -EAGAIN when the queue is full, or the kernel has
/// no
///   memory for a moment.
int cdirectio_ring_write(cdirectio_ring *_Nonnull ring, int descriptor, const void *_Nonnull bytes, unsigned count,
                         uint64_t offset, uint64_t tag);

/// Takes the result of a write that has ended.
///
/// - waits: whether to wait for one. A caller without a pending write would wait for ever.
/// - result: set to the number of bytes written, or a negative errno.
/// - Returns: 1, or 0 when no write has ended.
int cdirectio_ring_next(cdirectio_ring *_Nonnull ring, bool waits, uint64_t *_Nonnull tag, int *_Nonnull result);

/// Frees the queue. The caller has taken the results of all writes.
void cdirectio_ring_destroy(cdirectio_ring *_Nonnull ring);

#ifdef __cplusplus
}
#endif
#endif
