// A gRPC client for the tests of the transport. It is blocking and deals only with bytes. Every function except
// `ctest_call_cancel` BLOCKS. Each call may be used by only one thread at a time, except for `ctest_call_cancel`.
#ifndef CGRPC_TEST_CLIENT_H
#define CGRPC_TEST_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CGRPCTestLimits.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A channel with a connection of its own. `ctest_channel_create` makes it, and `ctest_channel_destroy` frees it after
/// all its calls are freed.
typedef struct ctest_channel ctest_channel;

/// One call of any kind. `ctest_call_create` makes it, and `ctest_call_destroy` frees it.
typedef struct ctest_call ctest_call;

/// A number of bytes, without a terminating zero. `base` is borrowed for as long as the comment of the function says.
typedef struct ctest_bytes {
  const void *_Nullable base;
  size_t count;
} ctest_bytes;

/// Makes a channel, which connects when its first call starts.
///
/// - target: the server's address, `127.0.0.1:4711` or `unix:/path`. Borrowed until the function returns, terminated.
/// - Returns: owned (`ctest_channel_destroy`).
ctest_channel *_Nonnull ctest_channel_create(const char *_Nonnull target);
/// Closes the channel and frees it.
void ctest_channel_destroy(ctest_channel *_Nonnull channel);

/// Starts a call by sending its headers.
///
/// - method: `/package.Service/Method`. Borrowed until the function returns, terminated.
/// - key, value: one entry of metadata, or null for none. Borrowed until the function returns, terminated.
/// - deadline_ms: the deadline in milliseconds from now. Negative for none.
/// - Returns: owned (`ctest_call_destroy`).
ctest_call *_Nonnull ctest_call_create(ctest_channel *_Nonnull channel, const char *_Nonnull method,
                                       const char *_Nullable key, const char *_Nullable value, int64_t deadline_ms);

/// Writes a message, and returns when gRPC has taken it.
///
/// - bytes: borrowed until the function returns.
/// - Returns: false when the call is broken.
bool ctest_call_write(ctest_call *_Nonnull call, const void *_Nullable bytes, size_t count);

/// Tells the server that no more requests will come.
///
/// - Returns: false when the call is broken.
bool ctest_call_end_writes(ctest_call *_Nonnull call);

/// Waits for the next message.
///
/// - message: set to the message when the function returns true. Borrowed until the next read or `ctest_call_destroy`.
/// - Returns: false after the last message, or when the call is broken.
bool ctest_call_read(ctest_call *_Nonnull call, ctest_bytes *_Nonnull message);

/// Waits for the status of the call.
///
/// - Returns: the status code.
int32_t ctest_call_finish(ctest_call *_Nonnull call);

/// The message of the status. May be called only after `ctest_call_finish`. Borrowed until `ctest_call_destroy`.
ctest_bytes ctest_call_status_message(const ctest_call *_Nonnull call);
/// The value of `grpc-status-details-bin`. May be called only after `ctest_call_finish`. Borrowed until
/// `ctest_call_destroy`.
ctest_bytes ctest_call_status_details(const ctest_call *_Nonnull call);
/// The first entry of the trailing metadata under `key`, or a null `base` when there is none. May be called only after
/// `ctest_call_finish`. The result is borrowed until `ctest_call_destroy`.
///
/// - key: borrowed until the function returns, terminated.
ctest_bytes ctest_call_trailer(const ctest_call *_Nonnull call, const char *_Nonnull key);

/// Cancels the call. May be called from any thread.
void ctest_call_cancel(ctest_call *_Nonnull call);
/// Frees the call. Cancels and finishes the call before that if it is not finished yet.
void ctest_call_destroy(ctest_call *_Nonnull call);

#ifdef __cplusplus
}
#endif

#endif
