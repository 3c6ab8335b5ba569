"""How the client's HTTP/2 connection is set up, so that a slow reader sees fresh frames.

A gRPC client normally measures the link and lets the sender run several megabytes ahead. For a file that is throughput;
for a camera it is delay: everything in those buffers is shown before what happens now.
"""

from typing import Final

#: Largest message accepted. A raw 4K picture is 12.4 MB; what a request asks for is its own `max_message_bytes`.
MAX_RECEIVE_MESSAGE_BYTES: Final = 64 << 20

#: Options of every channel `firstlight.connect` makes; pass them to `grpc.insecure_channel` to use the stubs directly.
CHANNEL_OPTIONS: Final[tuple[tuple[str, int], ...]] = (
    # Keep the flow-control window where the next line puts it, instead of growing it with the measured bandwidth.
    ("grpc.http2.bdp_probe", 0),
    # What the daemon may send ahead of the reader on one stream, besides the message being read.
    ("grpc.http2.lookahead_bytes", 64 << 10),
    ("grpc.max_receive_message_length", MAX_RECEIVE_MESSAGE_BYTES),
    # Channels to one address usually share a connection, and so would its window: one slow reader would stop others.
    ("grpc.use_local_subchannel_pool", 1),
)
