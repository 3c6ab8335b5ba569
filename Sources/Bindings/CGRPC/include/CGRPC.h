// gRPC server for Swift: a pure-C face of libgrpc++'s callback API. It knows calls, bytes and sockets, no protobuf.
//
// Ownership is said at each pointer: "borrowed" is valid for the time named, "owned" must be given back by the named
// function. No exception leaves a function, and none may leave a callback. Callbacks run on gRPC's threads: they must
// not block.
#ifndef CGRPC_H
#define CGRPC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A server with its listening sockets. Made by `cgrpc_server_create`, given back by `cgrpc_server_destroy`.
typedef struct cgrpc_server cgrpc_server;

/// One RPC. Counted: the callee of `on_call` owns one reference, given back by `cgrpc_call_release`.
typedef struct cgrpc_call cgrpc_call;

/// A received message. Given back by `cgrpc_message_destroy`.
typedef struct cgrpc_message cgrpc_message;
/// A message to be written.
typedef struct cgrpc_buffer cgrpc_buffer;

/// How connections are secured. Given back by `cgrpc_credentials_destroy`, at any time after it was used.
typedef struct cgrpc_credentials cgrpc_credentials;

// MARK: - Values

/// Bytes with a length; not terminated.
typedef struct cgrpc_bytes {
  /// Borrowed; the function says for how long. May be null when `count` is 0.
  const void *_Nullable base;
  size_t count;
} cgrpc_bytes;

/// A piece of a message to write.
typedef struct cgrpc_slice {
  /// Without `release`: copied before the function returns. With it: lent, and must not change or move until `release`.
  const void *_Nullable base;
  size_t count;
  /// Called exactly once, on any thread, when gRPC no longer reads `base`; also when the call fails. Null means copy.
  void (*_Nullable release)(void *_Nullable owner);
  /// Passed to `release`.
  void *_Nullable owner;
} cgrpc_slice;

/// How a call ends. All bytes are copied.
typedef struct cgrpc_status {
  /// A canonical code, 0 to 16.
  int32_t code;
  /// UTF-8.
  cgrpc_bytes message;
  /// A serialized google.rpc.Status, sent as `grpc-status-details-bin`; empty for none.
  cgrpc_bytes details;
} cgrpc_status;

/// The process at the other end of a Unix socket, as of its connect(2) (SO_PEERCRED).
typedef struct cgrpc_peer_credentials {
  pid_t pid;
  uid_t uid;
  gid_t gid;
} cgrpc_peer_credentials;

/// What one TCP connection may cost. Above the calls, calls are surplus (`cgrpc_call_is_surplus`). Above twice the
/// calls, or above the bytes, the connection is cut: it ends at once, and what it sent and nobody has read is lost.
typedef struct cgrpc_budget {
  /// Calls that a client may have open at once, as it is told. One that opens and resets has more that are not over,
  /// and is cut when they are three times as many.
  int32_t open_calls;
  /// Calls that a client may open at once, and how many more each second. 0 a second is unlimited.
  int32_t calls_at_once;
  int32_t calls_per_second;
  /// Bytes that nothing accounts for, at once and how many more each second. Accounted for are messages that were read,
  /// 2 KiB for each call or its metadata if that is more, 64 bytes for each message written, and one byte in 256 that
  /// the client acknowledged.
  int64_t bytes_at_once;
  int64_t bytes_per_second;
  /// A message that is being received is among those bytes until it is complete, so there may be so many more, as long
  /// as gRPC reads them as fast as it reads messages; and so many for each call, of up to four, that expects large
  /// messages, and for 30 s after it.
  int64_t message_bytes;
  int64_t large_message_bytes;
} cgrpc_budget;

typedef struct cgrpc_server_options {
  /// A longer message is refused by gRPC itself, without details; also the limit after decompression.
  int32_t max_receive_message_bytes;
  /// Calls at once on one connection.
  int32_t max_concurrent_streams;
  /// Without traffic for so long, the peer is pinged ...
  int32_t keepalive_time_ms;
  /// ... and dropped when it does not answer in this time. libgrpc's 20 s would cut off a stopped reader.
  int32_t keepalive_timeout_ms;
  /// A client that pings more often collects strikes ...
  int32_t min_ping_interval_ms;
  /// ... and is dropped after so many; 0 is unlimited.
  int32_t max_ping_strikes;
  /// SO_SNDBUF of accepted connections. Large kernel buffers hide seconds of stale frames from a slow reader.
  int32_t send_buffer_bytes;
  /// TCP_NOTSENT_LOWAT of accepted TCP connections, for the same reason. Both hold until the first message over
  /// 256 KiB: then the kernel takes what it can, and a write is answered when at most so much, or an eighth of the
  /// message, is not yet on its way.
  int32_t unsent_low_water_bytes;
  /// SO_RCVBUF of accepted TCP connections: what a client can send before anybody looks at it.
  int32_t receive_buffer_bytes;
  /// What a client may send of a call's messages before it is asked for the next one.
  int32_t read_ahead_bytes;
  /// What gRPC reads of a connection at a time, at most.
  int32_t read_bytes;
  /// Connections at once, in all and from one address. For a surplus one the oldest connection without a call gives
  /// way; when all have calls, it is closed on arrival.
  int32_t max_connections;
  int32_t max_connections_per_address;
  /// A connection that has not begun with HTTP/2 in this time is closed.
  int32_t handshake_timeout_ms;
  /// A connection without a call for so long is closed, after the client was told.
  int32_t idle_timeout_ms;
  /// The largest metadata of a call, names and values.
  int32_t max_metadata_bytes;
  /// What gRPC may take in all for what clients send.
  int64_t memory_quota_bytes;
  cgrpc_budget budget;
  /// How long an address is refused after one of its connections was cut.
  int32_t refusal_ms;
} cgrpc_server_options;

/// Why a connection was cut.
typedef enum cgrpc_excess {
  CGRPC_EXCESS_CALLS = 1,
  CGRPC_EXCESS_BYTES = 2,
} cgrpc_excess;

typedef struct cgrpc_server_counters {
  /// Open now.
  uint64_t connections;
  /// Since the start.
  uint64_t accepted;
  /// Closed on arrival: over a limit, from an address that is refused, or out of descriptors.
  uint64_t refused;
  /// Closed for a newcomer.
  uint64_t gave_way;
  /// Cut for too many calls, and for too many bytes.
  uint64_t cut_for_calls;
  uint64_t cut_for_bytes;
} cgrpc_server_counters;

/// What the server tells its owner. All functions are called on gRPC's threads or the acceptor's and must not block.
typedef struct cgrpc_handler {
  /// Passed to `on_call` and `on_cut`. Borrowed until `cgrpc_server_destroy` returns.
  void *_Nullable context;
  /// A call arrived. `call` carries one reference for the callee. The returned pointer is passed to the other callbacks
  /// of this call and is the callee's to release in `on_done`, which always comes last.
  /// A callee that returns null has called `cgrpc_call_finish` itself, keeps no reference and hears no more of the
  /// call.
  void *_Nullable (*_Nonnull on_call)(void *_Nullable context, cgrpc_call *_Nonnull call);
  /// The outcome of one `cgrpc_call_read`: an owned message (`cgrpc_message_destroy`), or null when there is none:
  /// `broken` then tells a call that failed from a client that has sent its last message.
  void (*_Nonnull on_read)(void *_Nonnull call_context, cgrpc_message *_Nullable message, bool broken);
  /// The outcome of one `cgrpc_call_write`. True means that gRPC took the message and, over TCP, that little of it
  /// waits in our kernel and little of what was sent unread in the client's; not that the client has it. False means
  /// that the call is broken.
  void (*_Nonnull on_write)(void *_Nonnull call_context, bool ok);
  /// The client cancelled or is gone, the deadline passed, or `cgrpc_call_cancel` was called. At most once.
  /// `cgrpc_call_finish` is still due.
  void (*_Nonnull on_cancel)(void *_Nonnull call_context);
  /// The call is over. Exactly once, after every other callback. Only `cgrpc_call_release` and `cgrpc_call_cancel`
  /// may be used afterwards.
  void (*_Nonnull on_done)(void *_Nonnull call_context);
  /// A connection was cut. `peer`, as `cgrpc_call_peer` tells it, is borrowed for the length of the call.
  void (*_Nonnull on_cut)(void *_Nullable context, cgrpc_bytes peer, cgrpc_excess excess);
} cgrpc_handler;

// MARK: - Credentials

/// Plain text. Never null except when out of memory.
cgrpc_credentials *_Nullable cgrpc_credentials_create_insecure(void);
/// Gives the credentials back; servers made with them keep what they need.
void cgrpc_credentials_destroy(cgrpc_credentials *_Nonnull credentials);

// MARK: - Server

/// Makes a server that neither listens nor serves yet.
///
/// All arguments are borrowed for the length of the call; `handler` is copied, `handler->context` is not.
/// - Returns: owned; null on failure, then `error` is set.
/// - error: on failure an owned, terminated sentence (`cgrpc_string_destroy`).
cgrpc_server *_Nullable cgrpc_server_create(const cgrpc_server_options *_Nonnull options,
                                            const cgrpc_credentials *_Nonnull credentials,
                                            const cgrpc_handler *_Nonnull handler, char *_Nullable *_Nonnull error);

/// Binds one address: `host:port`, `[::1]:port`, `:port` (every interface) or `unix:/path`; port 0 picks a free one.
/// A name with several addresses binds all of them. A Unix socket left behind by a dead process is replaced.
/// Blocks while a name is looked up. Before `cgrpc_server_start` only, from one thread.
///
/// - address: borrowed, terminated.
/// - Returns: false on failure, then `error` is set as in `cgrpc_server_create`.
bool cgrpc_server_listen(cgrpc_server *_Nonnull server, const char *_Nonnull address, char *_Nullable *_Nonnull error);

/// What was bound, ports resolved, one entry per socket: `127.0.0.1:50051`, `[::1]:50051`, `unix:/path`.
///
/// - Returns: borrowed until `cgrpc_server_destroy`; null when `index` is past the last one.
const char *_Nullable cgrpc_server_bound_address(const cgrpc_server *_Nonnull server, size_t index);

/// Starts accepting and serving. Once.
///
/// - Returns: false on failure, then `error` is set as in `cgrpc_server_create`.
bool cgrpc_server_start(cgrpc_server *_Nonnull server, char *_Nullable *_Nonnull error);

/// Closes the listening sockets; connections stay. From any thread, any number of times. Blocks for an instant.
void cgrpc_server_stop_accepting(cgrpc_server *_Nonnull server);

/// Stops accepting, tells the clients, and BLOCKS until every call is done: for a thread that may block, never for one
/// of gRPC's. Calls that are still running after `drain_ms` are cancelled; they must still be finished by their owner.
/// From any thread; later calls wait for the same end. Unnecessary when the server was never started.
void cgrpc_server_shutdown(cgrpc_server *_Nonnull server, int64_t drain_ms);

/// Frees the server. It must be shut down, if it was started.
void cgrpc_server_destroy(cgrpc_server *_Nonnull server);

/// From any thread.
cgrpc_server_counters cgrpc_server_get_counters(const cgrpc_server *_Nonnull server);

/// Frees a string that an `error` argument returned.
void cgrpc_string_destroy(char *_Nonnull string);

// MARK: - Call: facts, from `on_call` until `on_done`

/// `/package.Service/Method`. Borrowed until `on_done`.
cgrpc_bytes cgrpc_call_method(const cgrpc_call *_Nonnull call);

/// `ipv4:127.0.0.1:4711`, `ipv6:...`, or `unix:`. Borrowed until `on_done`.
cgrpc_bytes cgrpc_call_peer(const cgrpc_call *_Nonnull call);

/// - Returns: false for anything but a Unix socket; `credentials` is then untouched.
bool cgrpc_call_peer_credentials(const cgrpc_call *_Nonnull call, cgrpc_peer_credentials *_Nonnull credentials);

/// When the shim first saw the call: CLOCK_MONOTONIC, nanoseconds.
uint64_t cgrpc_call_arrival(const cgrpc_call *_Nonnull call);

/// Whether the connection has opened more calls than its budget allows. Such a call is to be finished at once, with an
/// error.
bool cgrpc_call_is_surplus(const cgrpc_call *_Nonnull call);

/// The client's deadline: CLOCK_MONOTONIC, nanoseconds; UINT64_MAX without one.
uint64_t cgrpc_call_deadline(const cgrpc_call *_Nonnull call);

/// Calls `visit` for every entry of the request metadata, keys in order; both byte strings are borrowed until
/// `on_done`. `context` is passed through.
void cgrpc_call_visit_metadata(const cgrpc_call *_Nonnull call, void *_Nullable context,
                               void (*_Nonnull visit)(void *_Nullable context, cgrpc_bytes key, cgrpc_bytes value));

// MARK: - Call: operations, from `on_call` until `cgrpc_call_finish`

/// The call's messages may be as large as `large_message_bytes` says. Once, in `on_call`.
void cgrpc_call_expect_large_messages(cgrpc_call *_Nonnull call);

/// Asks for the next message: one `on_read` follows. One read at a time.
void cgrpc_call_read(cgrpc_call *_Nonnull call);

/// Writes a message: one `on_write` follows. One write at a time. Null, for want of memory, is a write that fails.
/// `buffer` is borrowed for the length of the call; gRPC keeps the bytes, not it.
void cgrpc_call_write(cgrpc_call *_Nonnull call, const cgrpc_buffer *_Nullable buffer);

/// Adds trailing metadata; both byte strings are copied. A key that ends in `-bin` takes any bytes.
///
/// - Returns: false when HTTP/2 forbids the key or the value; nothing is added then.
bool cgrpc_call_add_trailing_metadata(cgrpc_call *_Nonnull call, cgrpc_bytes key, cgrpc_bytes value);

/// Ends the call, after one last message if `has_message`. Exactly once for every call, cancelled ones too, and not
/// while a write is under way. `on_done` follows. `status` and `slices` are borrowed for the length of the call.
void cgrpc_call_finish(cgrpc_call *_Nonnull call, const cgrpc_status *_Nonnull status, bool has_message,
                       const cgrpc_slice *_Nullable slices, size_t count);

/// Breaks the call off: an outstanding read or write ends, `on_cancel` follows. From any thread, any number of times,
/// for as long as the caller holds a reference.
void cgrpc_call_cancel(cgrpc_call *_Nonnull call);

/// Gives back the reference that came with `on_call`.
void cgrpc_call_release(cgrpc_call *_Nonnull call);

// MARK: - Probe

/// Makes one unary call over a new plain-text connection and BLOCKS for its outcome, at most `timeout_ms`.
///
/// All arguments are borrowed for the length of the call; `target` (`host:port`, `unix:/path`) and `path`
/// (`/package.Service/Method`) are terminated.
/// - response: on success an owned message (`cgrpc_message_destroy`), else null.
/// - error: on failure an owned, terminated sentence (`cgrpc_string_destroy`), or null when there is none.
/// - Returns: the canonical code, 0 on success.
int32_t cgrpc_probe_call(const char *_Nonnull target, const char *_Nonnull path, cgrpc_bytes request,
                         int64_t timeout_ms, cgrpc_message *_Nullable *_Nonnull response,
                         char *_Nullable *_Nonnull error);

// MARK: - Messages

/// A message made of `count` slices, for any number of writes to any number of calls. Lent slices are released after
/// the last of these and `cgrpc_buffer_destroy`. `slices` is borrowed for the length of the call.
///
/// - Returns: owned; null when out of memory, and lent slices are released then.
cgrpc_buffer *_Nullable cgrpc_buffer_create(const cgrpc_slice *_Nullable slices, size_t count);

/// From any thread, also while it is written.
void cgrpc_buffer_destroy(cgrpc_buffer *_Nonnull buffer);

/// The bytes, contiguous. Borrowed until `cgrpc_message_destroy`.
cgrpc_bytes cgrpc_message_bytes(const cgrpc_message *_Nonnull message);

/// From any thread.
void cgrpc_message_destroy(cgrpc_message *_Nonnull message);

#ifdef __cplusplus
}
#endif

#endif
