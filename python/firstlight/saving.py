"""Writes downloads to files."""

from __future__ import annotations

import pathlib
from collections.abc import Callable

from firstlight.streams import Stream


def save(stream: Stream[bytes], path: str | pathlib.Path, progress: Callable[[int], None] | None) -> int:
    """Writes the bytes of a stream to a file that must not exist. Returns their number."""
    target = pathlib.Path(path)
    count = 0
    with stream as chunks, open(target, "xb") as file:
        try:
            for data in chunks:
                file.write(data)
                count += len(data)
                if progress is not None:
                    progress(count)
        finally:
            if count == 0:
                target.unlink()
    return count
