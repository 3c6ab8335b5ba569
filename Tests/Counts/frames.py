"""What a frame takes that is delivered to one reader or to several: allocations, copies and encodings."""

from __future__ import annotations

import contextlib
import pathlib
import time
from collections.abc import Mapping

from watched import Counts, Reader, Watched, configuration, difference, watched

import firstlight

#: Slow enough that a frame is with all readers long before the next.
FRAME_RATE = 10
#: When everything is over that a frame brought, counted from when the last reader has it.
STILL = 0.04
#: Frames that come before anything is counted: what is done for the first time takes more.
WARM_UP = 10

_OF_THE_FRAME = {"encodings", "codec calls"}


#: What a reader asks for: pictures that are encoded, and the camera's own.
JPEG = {"encoding": firstlight.Encoding.JPEG}
RAW = {"pixel_format": "NV12"}


def delivered(binary: pathlib.Path, asking: Mapping[str, object], readers: int, times: int) -> list[Counts]:
    """What each of so many frames took, for each reader that it was delivered to."""
    with watched(binary) as daemon, contextlib.ExitStack() as stack:
        session = daemon.client.create_session(configuration=configuration(FRAME_RATE), start=True).name
        opened = [stack.enter_context(_reader(stack, daemon, session, asking)) for _ in range(readers)]
        samples = []
        before, newest = daemon.counts(), -1
        for number in range(4 * times):
            former, newest = newest, max(reader.after(newest) for reader in opened)
            time.sleep(STILL)
            after = daemon.counts()
            # Each has this very frame and none has the next, and nobody missed one.
            is_whole = newest == former + 1 and all(reader.newest == newest for reader in opened)
            if number >= WARM_UP and is_whole:
                samples.append(of_each(difference(after, before), readers))
                if len(samples) == times:
                    return samples
            before = after
    raise RuntimeError("this machine is too busy: frames come before what is counted is over")


def of_each(counts: Counts, readers: int) -> Counts:
    """What is counted for each delivery. What is done with the picture is of the frame, however many readers it has."""
    return {name: count if name in _OF_THE_FRAME else count / readers for name, count in counts.items()}


def _reader(stack: contextlib.ExitStack, daemon: Watched, session: str, asking: Mapping[str, object]) -> Reader:
    """A reader with a connection of its own, as different programs have."""
    return Reader(stack.enter_context(firstlight.connect(daemon.address)), session, asking)
