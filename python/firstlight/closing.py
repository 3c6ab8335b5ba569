"""What a `with` block closes at its end."""

from __future__ import annotations

from types import TracebackType
from typing import Self


class Closing:
    """Something that a `with` block gives to its body and closes at its end."""

    def close(self) -> None:
        """Ends it."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
