"""The options of the client's HTTP/2 connection, with which a slow reader still sees fresh frames.

A gRPC client normally measures the bandwidth of the link and lets the sender run several megabytes ahead. That helps
to transfer a file, but it delays frames: a viewer first sees all frames in these buffers, and only then the present.
"""

from typing import Final

from firstlight.addresses import is_local

#: The largest message that the client accepts, in bytes. An uncompressed 4K picture has 12.4 MB. Each request sets a
#: lower limit for its own responses by `max_message_bytes`.
MAX_RECEIVE_MESSAGE_BYTES: Final = 64 << 20

#: The options of every channel that `firstlight.connect` makes. Pass them to `grpc.insecure_channel` to use the stubs
#: directly, and for a daemon on the same machine `("grpc.enable_http_proxy", 0)` as well.
CHANNEL_OPTIONS: Final[tuple[tuple[str, int], ...]] = (
    # Do not let the flow-control window grow with the measured bandwidth; the next option sets the window.
    ("grpc.http2.bdp_probe", 0),
    # The bytes that the daemon may send ahead of the reader on one stream, beside the message that is being read.
    ("grpc.http2.lookahead_bytes", 64 << 10),
    ("grpc.max_receive_message_length", MAX_RECEIVE_MESSAGE_BYTES),
    # Give each channel a connection of its own. Channels to one address usually share a connection and its window, so
    # one slow reader would stop the others.
    ("grpc.use_local_subchannel_pool", 1),
)


def options_for(address: str) -> tuple[tuple[str, int], ...]:
    """The options of the channel to a daemon at `address`: no proxy of the environment where none can reach it."""
    return (*CHANNEL_OPTIONS, ("grpc.enable_http_proxy", 0)) if is_local(address) else CHANNEL_OPTIONS
