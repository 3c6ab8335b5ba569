#include <errno.h>
#include <liburing.h>
#include <stdlib.h>

#include "CDirectIO.h"

/// The tag of an entry that does nothing.
static const uint64_t nothing = UINT64_MAX;

struct cdirectio_ring {
  struct io_uring ring;
};

int cdirectio_ring_create(unsigned depth, cdirectio_ring **ring) {
  cdirectio_ring *const made = malloc(sizeof *made);
  if (!made) return -ENOMEM;
  const int result = io_uring_queue_init(depth, &made->ring, 0);
  if (result != 0) {
    free(made);
    return result;
  }
  *ring = made;
  return 0;
}

int cdirectio_ring_write(cdirectio_ring *ring, int descriptor, const void *bytes, unsigned count, uint64_t offset,
                         uint64_t tag) {
  struct io_uring_sqe *entry = io_uring_get_sqe(&ring->ring);
  if (!entry) {
    // Entries that the kernel refused earlier still have their places.
    io_uring_submit(&ring->ring);
    entry = io_uring_get_sqe(&ring->ring);
  }
  if (!entry) return -EAGAIN;
  io_uring_prep_write(entry, descriptor, bytes, count, offset);
  io_uring_sqe_set_data64(entry, tag);
  int result;
  do result = io_uring_submit(&ring->ring);
  // The kernel may take only some of the entries at once.
  while (result == -EINTR || (result > 0 && io_uring_sq_ready(&ring->ring) > 0));
  if (result >= 0 && io_uring_sq_ready(&ring->ring) == 0) return 0;
  // The kernel did not take the entry, and would take it with the next one.
  io_uring_prep_nop(entry);
  io_uring_sqe_set_data64(entry, nothing);
  return result < 0 ? result : -EAGAIN;
}

int cdirectio_ring_next(cdirectio_ring *ring, bool waits, uint64_t *tag, int *result) {
  do {
    struct io_uring_cqe *entry;
    int outcome;
    do outcome = waits ? io_uring_wait_cqe(&ring->ring, &entry) : io_uring_peek_cqe(&ring->ring, &entry);
    while (outcome == -EINTR);
    if (outcome == -EAGAIN) return 0;
    if (outcome != 0) return outcome;
    *tag = io_uring_cqe_get_data64(entry);
    *result = entry->res;
    io_uring_cqe_seen(&ring->ring, entry);
  } while (*tag == nothing);
  return 1;
}

void cdirectio_ring_destroy(cdirectio_ring *ring) {
  io_uring_queue_exit(&ring->ring);
  free(ring);
}
