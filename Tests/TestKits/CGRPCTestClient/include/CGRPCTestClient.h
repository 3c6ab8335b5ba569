// A gRPC client for the transport's tests: blocking, bytes only. Every function but `ctest_call_cancel` BLOCKS and, for
// one call, is to be used from one thread at a time.
#ifndef CGRPC_TEST_CLIENT_H
#define CGRPC_TEST_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CGRPCTestLimits.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A connection of its own. Given back by `ctest_channel_destroy`, after its calls.
typedef struct ctest_channel ctest_channel;

/// One call of any kind. Given back by `ctest_call_destroy`.
typedef struct ctest_call ctest_call;

/// Bytes with a length; not terminated. `base` is borrowed; the function says for how long.
typedef struct ctest_bytes {
  const void *_Nullable base;
  size_t count;
} ctest_bytes;

/// - target: `127.0.0.1:4711` or `unix:/path`; borrowed, terminated.
ctest_channel *_Nonnull ctest_channel_create(const char *_Nonnull target);
void ctest_channel_destroy(ctest_channel *_Nonnull channel);

/// Starts a call: sends the headers.
///
/// - method: `/package.Service/Method`; borrowed, terminated.
/// - key, value: one entry of metadata, both null for none; borrowed, terminated.
/// - deadline_ms: from now; negative for none.
ctest_call *_Nonnull ctest_call_create(ctest_channel *_Nonnull channel, const char *_Nonnull method,
                                       const char *_Nullable key, const char *_Nullable value, int64_t deadline_ms);

/// - Returns: false when the call is broken.
bool ctest_call_write(ctest_call *_Nonnull call, const void *_Nullable bytes, size_t count);

/// Half-closes. - Returns: false when the call is broken.
bool ctest_call_end_writes(ctest_call *_Nonnull call);

/// - message: on true set to the message, borrowed until the next read.
/// - Returns: false after the last message, or when the call is broken.
bool ctest_call_read(ctest_call *_Nonnull call, ctest_bytes *_Nonnull message);

/// Waits for the status. - Returns: its code.
int32_t ctest_call_finish(ctest_call *_Nonnull call);

/// After `ctest_call_finish`; borrowed until `ctest_call_destroy`.
ctest_bytes ctest_call_status_message(const ctest_call *_Nonnull call);
/// `grpc-status-details-bin`. After `ctest_call_finish`; borrowed until `ctest_call_destroy`.
ctest_bytes ctest_call_status_details(const ctest_call *_Nonnull call);
/// The first trailing entry under `key` (borrowed, terminated), `base` null for none. As above.
ctest_bytes ctest_call_trailer(const ctest_call *_Nonnull call, const char *_Nonnull key);

/// From any thread.
void ctest_call_cancel(ctest_call *_Nonnull call);
/// Finishes the call first if that was not done.
void ctest_call_destroy(ctest_call *_Nonnull call);

#ifdef __cplusplus
}
#endif

#endif
