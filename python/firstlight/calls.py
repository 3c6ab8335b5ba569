"""Calls with one response: each has a time limit, and raises FirstlightError."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import grpc

from firstlight.errors import FirstlightError


class Calls:
    """A channel, and the calls over it that have one response."""

    def __init__(self, channel: grpc.Channel, *, timeout: float) -> None:
        #: The channel, for calls that the client does not wrap: `PhotoServiceStub(client.channel)`.
        self.channel = channel
        self._timeout = timeout

    def _call(self, method: Callable[..., Any], request: Any) -> Any:
        try:
            return method(request, timeout=self._timeout)
        except grpc.RpcError as error:
            raise FirstlightError.from_rpc_error(error) from error
