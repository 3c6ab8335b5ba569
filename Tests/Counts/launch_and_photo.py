"""The work for a launch and a photo: system calls, allocations, page faults, threads, copies and encodings.

The work for a launch ends neither with the answer nor with the first frame, and the order in which threads finish it is
chance. So everything counts that the daemon does until shortly before the second frame. This frame comes after a fifth
of a second, when the daemon has been still for long, so the work is the same each time.
"""

from __future__ import annotations

import pathlib
import time
from collections.abc import Callable

import system_calls
from watched import Counts, Reader, Watched, configuration, difference, watched

#: The lowest rate of the synthetic camera. Its period is the time in which the work is counted.
FRAME_RATE = 5
#: The seconds after which all work for a frame is over, with much to spare.
STILL = 0.12
#: The runs before the counting. First runs take more work, because they take memory that the daemon then keeps. The
#: threads of photos share the heap, and each of the first twenty photos or so finds it in another state.
LAUNCHES_BEFORE, PHOTOS_BEFORE = 4, 25

#: The begin and the end in seconds of the wall clock, and the counts between them.
Span = tuple[float, float, Counts]


def spans(watched: Watched, once: Callable[[], Span | None], times: int) -> list[Counts]:
    """The counts of `once`, `times` times. When a frame came too early, a run has no result and is repeated."""
    found: list[Span] = []
    with system_calls.traced(watched.process_id) as ended:
        for _ in range(4 * times):
            if len(found) < times and (span := once()) is not None:
                found.append(span)
        calls = ended()
    if len(found) < times:
        raise RuntimeError("this machine is too busy: the next frame comes before the work for the last one is over")
    if not calls:
        raise RuntimeError("strace reported no system calls")
    samples = []
    for begin, end, counts in found:
        by_name = system_calls.by_name(calls, begin, end)
        samples.append(counts | {f"system call {name}": float(number) for name, number in by_name.items()})
    return samples


def launches(binary: pathlib.Path, times: int) -> list[Counts]:
    """The work from StartSession to the first frame at a waiting client, and until the daemon is still."""
    with watched(binary) as daemon:

        def once() -> Span | None:
            client = daemon.client
            session = client.create_session(configuration=configuration(FRAME_RATE)).name
            with Reader(client, session) as reader:
                time.sleep(STILL)
                before, begin = daemon.counts(), time.time()
                client.start(session)
                reader.after(-1)
                time.sleep(STILL)
                after, end = daemon.counts(), time.time()
                is_whole = reader.newest == 0
            client.delete_session(session)
            time.sleep(STILL)
            return (begin, end, difference(after, before)) if is_whole else None

        for _ in range(LAUNCHES_BEFORE):
            once()
        return spans(daemon, once, times)


def photos(binary: pathlib.Path, times: int) -> list[Counts]:
    """The work from CapturePhoto to its last event, beside a preview with a reader, and until the daemon is still."""
    with watched(binary) as daemon:
        client = daemon.client
        session = client.create_session(configuration=configuration(FRAME_RATE), start=True).name
        with Reader(client, session) as reader:

            def once() -> Span | None:
                newest = reader.after(reader.newest)
                time.sleep(STILL / 4)
                before, begin = daemon.counts(), time.time()
                client.photo(session)
                time.sleep(STILL / 2)
                after, end = daemon.counts(), time.time()
                return (begin, end, difference(after, before)) if reader.newest == newest else None

            for _ in range(PHOTOS_BEFORE):
                once()
            return spans(daemon, once, times)
