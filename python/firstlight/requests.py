"""The requests of a call that streams both ways."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class Requests(Iterator[T], Generic[T]):
    """The requests for gRPC to write. At most one waits; gRPC takes it when the one before is on its way."""

    def __init__(self, first: T) -> None:
        self._changed = threading.Condition()
        self._waiting: T | None = first
        self._ended = False

    def put(self, request: T) -> None:
        """Waits until no request waits, then adds `request`. After `end` does nothing."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting is None or self._ended)
            if not self._ended:
                self._waiting = request
                self._changed.notify_all()

    def end(self) -> None:
        """Ends the requests. gRPC still gets the one that waits."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def __next__(self) -> T:
        with self._changed:
            self._changed.wait_for(lambda: self._waiting is not None or self._ended)
            request, self._waiting = self._waiting, None
            self._changed.notify_all()
        if request is None:
            raise StopIteration
        return request
