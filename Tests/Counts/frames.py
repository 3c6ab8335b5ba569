"""The work for a frame that is delivered to one reader or to several: allocations, copies and encodings."""

from __future__ import annotations

import contextlib
import pathlib
import time
from collections.abc import Mapping

from watched import Counts, Reader, Watched, configuration, difference, watched

import firstlight

#: The rate is so low that all readers have a frame long before the next one.
FRAME_RATE = 10
#: The seconds after which all work for a frame is over, counted from when the last reader has the frame.
STILL = 0.04
#: The frames that come before the counting. The first frames take more work.
WARM_UP = 10

_OF_THE_FRAME = {"encodings", "codec calls"}


#: The keywords of a reader: for encoded pictures, and for the camera's own.
JPEG = {"encoding": firstlight.Encoding.JPEG}
RAW = {"pixel_format": "NV12"}


def delivered(binary: pathlib.Path, asking: Mapping[str, object], readers: int, times: int) -> list[Counts]:
    """The work for each of `times` frames, per reader that the frame was delivered to."""
    with watched(binary) as daemon, contextlib.ExitStack() as stack:
        session = daemon.client.create_session(configuration=configuration(FRAME_RATE), start=True).name
        opened = [stack.enter_context(_reader(stack, daemon, session, asking)) for _ in range(readers)]
        samples = []
        before, newest = daemon.counts(), -1
        for number in range(4 * times):
            former, newest = newest, max(reader.after(newest) for reader in opened)
            time.sleep(STILL)
            after = daemon.counts()
            # The sample is whole when each reader has this very frame, none has the next, and none missed one.
            is_whole = newest == former + 1 and all(reader.newest == newest for reader in opened)
            if number >= WARM_UP and is_whole:
                samples.append(of_each(difference(after, before), readers))
                if len(samples) == times:
                    return samples
            before = after
    raise RuntimeError("this machine is too busy: the next frame comes before the work for the last one is over")


def of_each(counts: Counts, readers: int) -> Counts:
    """The counts per delivery. Work on the picture belongs to the frame, however many readers there are, so it is not
    divided.
    """
    return {name: count if name in _OF_THE_FRAME else count / readers for name, count in counts.items()}


def _reader(stack: contextlib.ExitStack, daemon: Watched, session: str, asking: Mapping[str, object]) -> Reader:
    """A reader with a connection of its own, as separate programs have."""
    return Reader(stack.enter_context(firstlight.connect(daemon.address)), session, asking)
