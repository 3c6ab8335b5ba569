// A gRPC server for Swift: a pure C interface to libgrpc++'s callback API. The interface deals with calls, bytes and
// sockets, and knows nothing of protobuf.
//
// The comment of each pointer says who owns the memory. "Borrowed" memory is valid for the time that the comment names.
// "Owned" memory must be given back through the function that the comment names. No function throws an exception, and
// no callback may throw one. Callbacks run on gRPC's threads and must not block.
#ifndef CGRPC_H
#define CGRPC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A server with its listening sockets. `cgrpc_server_create` makes it, and `cgrpc_server_destroy` frees it.
typedef struct cgrpc_server cgrpc_server;

/// One RPC, with a reference count. The callee of `on_call` owns one reference and gives it back with
/// `cgrpc_call_release`.
typedef struct cgrpc_call cgrpc_call;

/// A received message. `on_read` and `cgrpc_probe_call` return it owned, and `cgrpc_message_destroy` frees it.
typedef struct cgrpc_message cgrpc_message;
/// A message to write. `cgrpc_buffer_create` makes it, and `cgrpc_buffer_destroy` frees it.
typedef struct cgrpc_buffer cgrpc_buffer;

/// The way in which connections are secured. `cgrpc_credentials_create_insecure` makes it, and
/// `cgrpc_credentials_destroy` frees it. The caller may free it as soon as `cgrpc_server_create` has returned.
typedef struct cgrpc_credentials cgrpc_credentials;

// MARK: - Values

/// A number of bytes, without a terminating zero.
typedef struct cgrpc_bytes {
  /// Borrowed for as long as the comment of the function says. May be null when `count` is 0.
  const void *_Nullable base;
  /// The number of bytes.
  size_t count;
} cgrpc_bytes;

/// A piece of a message to write.
typedef struct cgrpc_slice {
  /// The bytes of the piece. Without `release` the function copies them before it returns. With `release` they are lent
  /// to gRPC, and must neither change nor move until gRPC calls `release`.
  const void *_Nullable base;
  /// The number of bytes.
  size_t count;
  /// Called exactly once, on any thread, when gRPC no longer reads `base`, also when the function that takes the slice
  /// fails. Null when the bytes are to be copied.
  void (*_Nullable release)(void *_Nullable owner);
  /// The argument for `release`. gRPC does not use it otherwise.
  void *_Nullable owner;
} cgrpc_slice;

/// The outcome of a call. The function that takes it copies all bytes.
typedef struct cgrpc_status {
  /// A canonical status code, 0 to 16.
  int32_t code;
  /// A sentence for people, in UTF-8.
  cgrpc_bytes message;
  /// A serialized google.rpc.Status, which is sent as `grpc-status-details-bin`. Empty when there is none.
  cgrpc_bytes details;
} cgrpc_status;

/// The process at the client's end of a Unix socket at the time of its connect(2), as SO_PEERCRED returns it.
typedef struct cgrpc_peer_credentials {
  pid_t pid;
  uid_t uid;
  gid_t gid;
} cgrpc_peer_credentials;

/// What the budget of a connection says about a call.
typedef enum cgrpc_call_budget {
  /// The client opens calls steadily, or a few at once.
  CGRPC_CALL_WITHIN,
  /// The client has opened more than a twentieth of `cgrpc_budget.calls_at_once` at once. The budget allows that, and
  /// the calls of other clients should run before this call.
  CGRPC_CALL_OF_BURST,
  /// The budget does not allow the call.
  CGRPC_CALL_SURPLUS,
} cgrpc_call_budget;

/// The budget of one TCP connection. A call beyond the budget of calls is a surplus call (`CGRPC_CALL_SURPLUS`). The
/// server cuts a connection that opens twice as many calls as the budget allows, or that sends more bytes than the
/// budget allows. A cut connection ends at once, and the bytes that gRPC has not read yet are lost.
typedef struct cgrpc_budget {
  /// The number of calls that the server tells the client it may have open at once. A client that opens and resets
  /// calls has more calls that are not over yet. The server cuts the connection when they are more than twice
  /// `open_calls`.
  int32_t open_calls;
  /// The number of calls that a client may open at once. Not limited when `calls_per_second` is 0.
  int32_t calls_at_once;
  /// The number of further calls that a client may open each second. 0 means any number.
  int32_t calls_per_second;
  /// The number of unaccounted bytes that a client may send at once. These bytes are accounted for: messages that the
  /// owner has read, 2 KiB or the metadata of each call, whichever is more, 64 bytes for each message written, and one
  /// byte for each 256 bytes that the client acknowledged.
  int64_t bytes_at_once;
  /// The number of further unaccounted bytes that a client may send each second.
  int64_t bytes_per_second;
  /// The number of bytes by which a connection may exceed its budget of bytes, because the bytes of a message are
  /// unaccounted until the message is complete. With more, the server refuses the message. This allowance holds only as
  /// long as gRPC reads the bytes as fast as it reads messages.
  int64_t message_bytes;
  /// The same allowance for a connection with calls that expect large messages: this number of bytes for each such
  /// call, for at most four of them. For 30 s after the last such call has ended, the connection has the allowance of
  /// one such call.
  int64_t large_message_bytes;
} cgrpc_budget;

/// The options of a server. All sizes are in bytes and all times, whose names end in `_ms`, are in milliseconds.
typedef struct cgrpc_server_options {
  /// The largest message that an owner gets. Of a larger one the owner gets `CGRPC_READ_TOO_LARGE`.
  int32_t max_receive_message_bytes;
  /// The largest number of calls at once on one connection.
  int32_t max_concurrent_streams;
  /// The time after which the server pings a client whose connection has no traffic.
  int32_t keepalive_time_ms;
  /// The time in which the client must answer a ping. The server drops the connection otherwise. libgrpc's default of
  /// 20 s would cut off readers that are stopped for a while.
  int32_t keepalive_timeout_ms;
  /// The shortest time between two pings of a client. A client that pings more often gets a strike for each ping.
  int32_t min_ping_interval_ms;
  /// The number of strikes after which the server drops the client. 0 means any number of strikes.
  int32_t max_ping_strikes;
  /// SO_SNDBUF of accepted connections. In a large buffer of the kernel, seconds of stale frames would wait for a slow
  /// reader.
  int32_t send_buffer_bytes;
  /// TCP_NOTSENT_LOWAT of accepted TCP connections, which keeps stale frames out of the kernel, too. Both
  /// `send_buffer_bytes` and this option hold until the first message of more than 256 KiB. From then on the kernel
  /// takes as many bytes as it can. A write is then answered when the number of bytes that are not yet on their way is
  /// at most this option or an eighth of the message, whichever is more.
  int32_t unsent_low_water_bytes;
  /// SO_RCVBUF of accepted TCP connections. A client can fill this buffer before gRPC or the guard looks at any of its
  /// bytes.
  int32_t receive_buffer_bytes;
  /// The number of bytes that a client may send of a call's messages before the server asks for the next message.
  int32_t read_ahead_bytes;
  /// The largest number of bytes that gRPC reads from a connection at a time.
  int32_t read_bytes;
  /// The largest number of connections at once. When a further connection comes, the server closes the oldest TCP
  /// connection without a call, of the address with the most connections. When every TCP connection has a call, the
  /// server closes the new connection on arrival.
  int32_t max_connections;
  /// The largest number of connections at once from one address, where an IPv6 network of 64 bits counts as one
  /// address. When a further one comes, the server closes the oldest connection of this address without a call, or else
  /// the new connection.
  int32_t max_connections_per_address;
  /// The time in which a new connection must begin to speak HTTP/2. The server closes the connection otherwise.
  int32_t handshake_timeout_ms;
  /// The time after which the server closes a connection without a call. The server tells the client before it closes.
  int32_t idle_timeout_ms;
  /// The largest metadata of a call, names and values together.
  int32_t max_metadata_bytes;
  /// The memory that gRPC may take in all for the bytes that clients send.
  int64_t memory_quota_bytes;
  /// The budget of each TCP connection.
  cgrpc_budget budget;
  /// The time for which the server refuses connections from an address after it has cut one of the address's
  /// connections.
  int32_t refusal_ms;
} cgrpc_server_options;

/// The reason for which the server cut a connection.
typedef enum cgrpc_excess {
  /// The connection opened too many calls.
  CGRPC_EXCESS_CALLS = 1,
  /// The connection sent too many bytes that nothing accounts for.
  CGRPC_EXCESS_BYTES = 2,
} cgrpc_excess;

/// The counters of a server's connections. All counters except `connections` count since the start.
typedef struct cgrpc_server_counters {
  /// The connections that are open now.
  uint64_t connections;
  /// The connections that the server accepted.
  uint64_t accepted;
  /// The connections that the server closed on arrival, because a limit was reached, because the address is refused for
  /// a while, or because the process had no descriptor left.
  uint64_t refused;
  /// The connections without a call that the server closed in favour of a new one.
  uint64_t gave_way;
  /// The connections that the server cut for too many calls.
  uint64_t cut_for_calls;
  /// The connections that the server cut for too many bytes.
  uint64_t cut_for_bytes;
} cgrpc_server_counters;

/// What has become of a read: there is a message, the client has sent its last one, the call failed, or the message is
/// larger than the server takes, which the server may find before all of it has come.
typedef enum cgrpc_read { CGRPC_READ_MESSAGE, CGRPC_READ_END, CGRPC_READ_FAILED, CGRPC_READ_TOO_LARGE } cgrpc_read;

/// The callbacks through which the server reports to its owner. They run on gRPC's threads or on the acceptor's thread
/// and must not block.
typedef struct cgrpc_handler {
  /// The first argument of `on_call` and `on_cut`. Borrowed until `cgrpc_server_destroy` returns.
  void *_Nullable context;
  /// A call has arrived. The callee owns one reference to `call`. The returned pointer is the `call_context` of this
  /// call's other callbacks. The callee owns what the pointer refers to, and releases it in `on_done`, which is always
  /// the last callback.
  ///
  /// A callee that refuses a call finishes the call itself with `cgrpc_call_finish` and returns null. The server then
  /// takes the reference back, and the callee must not use the call any more. No other callback of this call follows.
  void *_Nullable (*_Nonnull on_call)(void *_Nullable context, cgrpc_call *_Nonnull call);
  /// gRPC has answered one `cgrpc_call_read`.
  ///
  /// - message: owned (`cgrpc_message_destroy`). Null when there is no message.
  /// - result: what has become of the read. After a message that is too large, the owner does not read any more.
  void (*_Nonnull on_read)(void *_Nonnull call_context, cgrpc_message *_Nullable message, cgrpc_read result);
  /// gRPC has answered one `cgrpc_call_write`.
  ///
  /// - ok: true when gRPC took the message and, over TCP, only a small part of it waits in the server's kernel and few
  ///   bytes wait unread in the client's kernel. The client may still not have the message. False when the call is
  ///   broken.
  void (*_Nonnull on_write)(void *_Nonnull call_context, bool ok);
  /// The client cancelled the call or is gone, the deadline passed, or `cgrpc_call_cancel` was called. Called at most
  /// once for each call. The owner must still finish the call with `cgrpc_call_finish`.
  void (*_Nonnull on_cancel)(void *_Nonnull call_context);
  /// The call is over. Called exactly once for each call, after every other callback. From now on the owner may use
  /// only `cgrpc_call_release` and `cgrpc_call_cancel`.
  void (*_Nonnull on_done)(void *_Nonnull call_context);
  /// The server has cut a connection.
  ///
  /// - peer: the client's address in the form of `cgrpc_call_peer`. Borrowed until the callback returns.
  /// - excess: the reason.
  void (*_Nonnull on_cut)(void *_Nullable context, cgrpc_bytes peer, cgrpc_excess excess);
} cgrpc_handler;

// MARK: - Credentials

/// Makes credentials for connections in plain text.
///
/// - Returns: owned (`cgrpc_credentials_destroy`). Null when memory is short.
cgrpc_credentials *_Nullable cgrpc_credentials_create_insecure(void);
/// Frees the credentials. Servers that were made with them keep a reference of their own to what they need.
void cgrpc_credentials_destroy(cgrpc_credentials *_Nonnull credentials);

// MARK: - Server

/// Makes a server that does not listen yet.
///
/// All arguments are borrowed until the function returns. The server copies `handler`, and borrows `handler->context`
/// until `cgrpc_server_destroy` returns.
/// - error: on failure an owned, terminated sentence (`cgrpc_string_destroy`), or null when memory is too short for it.
///   Unchanged on success.
/// - Returns: owned (`cgrpc_server_destroy`). Null on failure.
cgrpc_server *_Nullable cgrpc_server_create(const cgrpc_server_options *_Nonnull options,
                                            const cgrpc_credentials *_Nonnull credentials,
                                            const cgrpc_handler *_Nonnull handler, char *_Nullable *_Nonnull error);

/// Binds the sockets of one address. The address is `host:port`, `[::1]:port`, `:port` (every interface) or
/// `unix:/path`, and for port 0 the system chooses a free port. For a host name with several addresses, the server
/// binds all of them. A Unix socket that a dead process left behind is replaced.
///
/// Blocks while the system looks up a host name. May be called only before `cgrpc_server_start`, from one thread at a
/// time.
/// - address: borrowed until the function returns, terminated.
/// - error: on failure set as by `cgrpc_server_create`.
/// - Returns: false on failure.
bool cgrpc_server_listen(cgrpc_server *_Nonnull server, const char *_Nonnull address, char *_Nullable *_Nonnull error);

/// The address of the socket at `index`, with the port that the system chose: `127.0.0.1:50051`, `[::1]:50051` or
/// `unix:/path`.
///
/// - Returns: borrowed until `cgrpc_server_destroy`. Null when the server has no socket at `index`.
const char *_Nullable cgrpc_server_bound_address(const cgrpc_server *_Nonnull server, size_t index);

/// Starts to accept connections and to serve calls. May be called once.
///
/// - error: on failure set as by `cgrpc_server_create`.
/// - Returns: false on failure.
bool cgrpc_server_start(cgrpc_server *_Nonnull server, char *_Nullable *_Nonnull error);

/// Closes the listening sockets. Open connections stay. May be called from any thread and any number of times. Blocks
/// only for an instant.
void cgrpc_server_stop_accepting(cgrpc_server *_Nonnull server);

/// Stops accepting, tells the clients that the server shuts down, and BLOCKS until every call is done. The caller must
/// be on a thread that may block, and never on one of gRPC's threads. Calls that still run after `drain_ms`
/// milliseconds are cancelled, and their owner must still finish them. May be called from any thread. A second call
/// waits for the end of the same shutdown. A server that was never started needs no shutdown.
void cgrpc_server_shutdown(cgrpc_server *_Nonnull server, int64_t drain_ms);

/// Frees the server. A server that was started must have been shut down before.
void cgrpc_server_destroy(cgrpc_server *_Nonnull server);

/// Returns the counters at this moment. May be called from any thread.
cgrpc_server_counters cgrpc_server_get_counters(const cgrpc_server *_Nonnull server);

/// Frees a string that a function returned through its `error` argument.
void cgrpc_string_destroy(char *_Nonnull string);

// MARK: - Call: facts, from `on_call` until `on_done`

/// The path of the method, `/package.Service/Method`. Borrowed until `on_done`.
cgrpc_bytes cgrpc_call_method(const cgrpc_call *_Nonnull call);

/// The address of the client: `ipv4:127.0.0.1:4711`, `ipv6:%5B::1%5D:4711` (with percent-encoded brackets) or `unix:`.
/// Borrowed until `on_done`.
cgrpc_bytes cgrpc_call_peer(const cgrpc_call *_Nonnull call);

/// Copies the credentials of the client's process into `credentials`.
///
/// - Returns: false when the client is not connected over a Unix socket. `credentials` is then unchanged.
bool cgrpc_call_peer_credentials(const cgrpc_call *_Nonnull call, cgrpc_peer_credentials *_Nonnull credentials);

/// The time at which this library first saw the call, in nanoseconds of CLOCK_MONOTONIC.
uint64_t cgrpc_call_arrival(const cgrpc_call *_Nonnull call);

/// Returns what the budget of the call's connection says about the call. The owner must finish a surplus call at once,
/// with an error.
cgrpc_call_budget cgrpc_call_get_budget(const cgrpc_call *_Nonnull call);

/// The client's deadline in nanoseconds of CLOCK_MONOTONIC. UINT64_MAX when the client set no deadline.
uint64_t cgrpc_call_deadline(const cgrpc_call *_Nonnull call);

/// Calls `visit` for every entry of the request's metadata, in the order of the keys. Both byte strings are borrowed
/// until `on_done`. `context` is the first argument of `visit` and is not used otherwise.
void cgrpc_call_visit_metadata(const cgrpc_call *_Nonnull call, void *_Nullable context,
                               void (*_Nonnull visit)(void *_Nullable context, cgrpc_bytes key, cgrpc_bytes value));

// MARK: - Call: operations, from `on_call` until `cgrpc_call_finish`

/// Declares that the call's messages may be large (`large_message_bytes`). The owner calls this function at most once,
/// in `on_call`.
void cgrpc_call_expect_large_messages(cgrpc_call *_Nonnull call);

/// Asks for the next message. One `on_read` follows. Only one read may be under way.
void cgrpc_call_read(cgrpc_call *_Nonnull call);

/// Writes a message. One `on_write` follows. Only one write may be under way.
///
/// - buffer: borrowed until the function returns, because gRPC keeps the bytes itself. With null, which
///   `cgrpc_buffer_create` returns when memory is short, the write fails and the call is cancelled.
void cgrpc_call_write(cgrpc_call *_Nonnull call, const cgrpc_buffer *_Nullable buffer);

/// Adds an entry to the trailing metadata. Both byte strings are copied. Under a key that ends in `-bin`, the value may
/// be any bytes.
///
/// - Returns: false when HTTP/2 or gRPC forbids the key or the value, or when memory is short. The entry is then not
///   added.
bool cgrpc_call_add_trailing_metadata(cgrpc_call *_Nonnull call, cgrpc_bytes key, cgrpc_bytes value);

/// Ends the call, after one last message when `has_message` is true. The owner must call this function exactly once for
/// every call, also for a cancelled one, and not while a write is under way. `on_done` follows. `status` and `slices`
/// are borrowed until the function returns.
void cgrpc_call_finish(cgrpc_call *_Nonnull call, const cgrpc_status *_Nonnull status, bool has_message,
                       const cgrpc_slice *_Nullable slices, size_t count);

/// Cancels the call: the read and the write that are under way end, and `on_cancel` follows. May be called from any
/// thread and any number of times, as long as the caller holds a reference.
void cgrpc_call_cancel(cgrpc_call *_Nonnull call);

/// Gives back the reference that `on_call` brought. The caller must not use the call any more.
void cgrpc_call_release(cgrpc_call *_Nonnull call);

// MARK: - Probe

/// Makes one unary call over a new connection in plain text, and BLOCKS until the outcome is known, for at most
/// `timeout_ms` milliseconds.
///
/// All arguments are borrowed until the function returns.
/// - target: the server's address, `host:port` or `unix:/path`, terminated.
/// - path: the method, `/package.Service/Method`, terminated.
/// - response: on success an owned message (`cgrpc_message_destroy`), else null.
/// - error: on failure an owned, terminated sentence (`cgrpc_string_destroy`), or null when there is none.
/// - Returns: the canonical status code, 0 on success.
int32_t cgrpc_probe_call(const char *_Nonnull target, const char *_Nonnull path, cgrpc_bytes request,
                         int64_t timeout_ms, cgrpc_message *_Nullable *_Nonnull response,
                         char *_Nullable *_Nonnull error);

// MARK: - Messages

/// Makes a message of `count` slices, which any number of calls may write any number of times. The lent slices are
/// released when `cgrpc_buffer_destroy` was called and all these writes have ended. The array `slices` itself is
/// borrowed until the function returns.
///
/// - Returns: owned (`cgrpc_buffer_destroy`). Null when memory is short. The lent slices have then been released.
cgrpc_buffer *_Nullable cgrpc_buffer_create(const cgrpc_slice *_Nullable slices, size_t count);

/// Frees the buffer. May be called from any thread, also while gRPC writes the message.
void cgrpc_buffer_destroy(cgrpc_buffer *_Nonnull buffer);

/// The bytes of the message in one piece. Borrowed until `cgrpc_message_destroy`.
cgrpc_bytes cgrpc_message_bytes(const cgrpc_message *_Nonnull message);

/// Frees the message. May be called from any thread.
void cgrpc_message_destroy(cgrpc_message *_Nonnull message);

#ifdef __cplusplus
}
#endif

#endif
