"""The options of the client's HTTP/2 connection, with which a slow reader still sees fresh frames.

A gRPC client normally measures the bandwidth of the link and lets the sender run several megabytes ahead. That helps
to transfer a file, but it delays frames: a viewer first sees all frames in these buffers, and only then the present.
"""

from typing import Final

#: The largest message that the client accepts, in bytes. An uncompressed 4K picture has 12.4 MB. Each request sets a
#: lower limit for its own responses by `max_message_bytes`.
MAX_RECEIVE_MESSAGE_BYTES: Final = 64 << 20

#: The options of every channel that `firstlight.connect` makes. Pass them to `grpc.insecure_channel` to use the stubs
#: directly.
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
