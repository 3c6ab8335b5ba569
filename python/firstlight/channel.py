"""The client's HTTP/2 connection: its options, with which a slow reader still sees fresh frames, and its process.

A gRPC client normally measures the bandwidth of the link and lets the sender run several megabytes ahead. That helps
to transfer a file, but it delays frames: a viewer first sees all frames in these buffers, and only then the present.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Final

import grpc

from firstlight.addresses import is_local
from firstlight.closing import Closing
from firstlight.processes import OneProcess

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


class Channel(OneProcess, Closing, grpc.Channel):
    """A channel whose calls raise FirstlightError in a forked child, where they would wait for ever."""

    _grpc_has: ClassVar[str] = "channel"

    def __init__(self, channel: grpc.Channel) -> None:
        """Makes all calls over `channel`."""
        super().__init__()
        self._channel = channel

    def subscribe(self, callback: Callable[[grpc.ChannelConnectivity], None], try_to_connect: bool = False) -> None:
        """As grpc.Channel does."""
        self._check_process()
        self._channel.subscribe(callback, try_to_connect)

    def unsubscribe(self, callback: Callable[[grpc.ChannelConnectivity], None]) -> None:
        """As grpc.Channel does."""
        self._check_process()
        self._channel.unsubscribe(callback)

    def unary_unary(self, *arguments: Any, **options: Any) -> Any:
        """As grpc.Channel does."""
        return _Method(self, self._channel.unary_unary(*arguments, **options))

    def unary_stream(self, *arguments: Any, **options: Any) -> Any:
        """As grpc.Channel does."""
        return _Method(self, self._channel.unary_stream(*arguments, **options))

    def stream_unary(self, *arguments: Any, **options: Any) -> Any:
        """As grpc.Channel does."""
        return _Method(self, self._channel.stream_unary(*arguments, **options))

    def stream_stream(self, *arguments: Any, **options: Any) -> Any:
        """As grpc.Channel does."""
        return _Method(self, self._channel.stream_stream(*arguments, **options))

    def close(self) -> None:
        """Closes the channel. In a forked child does nothing, so that the parent goes on."""
        if not self._is_foreign:
            self._is_over = True
            self._channel.close()


class _Method:
    """A method of a Channel."""

    def __init__(self, channel: Channel, method: Any) -> None:
        self._channel, self._method = channel, method

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        self._channel._check_process()
        return self._method(*arguments, **options)

    def with_call(self, *arguments: Any, **options: Any) -> Any:
        self._channel._check_process()
        return self._method.with_call(*arguments, **options)

    def future(self, *arguments: Any, **options: Any) -> Any:
        self._channel._check_process()
        return self._method.future(*arguments, **options)
