"""How long a viewer waits for its first frame."""

from __future__ import annotations

import contextlib
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator

import mjpeg_servers
from bounds import Bounds
from running import BUILT, PORT, Running, firstlight_daemon, firstlight_running, ustreamer

ATTEMPTS = 5
#: The milliseconds by which http_viewer may be late to notice that the server listens.
RETRY_MS = 5


def first_at(command: list[str]) -> subprocess.Popen[str]:
    """Starts a viewer that ends soon after its first frame. `first_ns` reads the time of this frame."""
    return subprocess.Popen([*command, "1", "0", "0.1"], stdout=subprocess.PIPE, text=True)


def first_ns(viewer: subprocess.Popen[str]) -> int:
    """The time of a viewer's first frame in nanoseconds of CLOCK_MONOTONIC."""
    assert viewer.stdout is not None
    word, number = viewer.stdout.readline().split()
    assert word == "first"
    viewer.communicate()
    return int(number)


def attach(run: Callable[[], contextlib.AbstractContextManager[Running]]) -> Iterator[float]:
    """Several measurements of a server that has streamed for a while: the milliseconds from the request for a stream to
    the first frame, on a connection that exists.
    """
    with run() as running:
        time.sleep(3)
        for _ in range(ATTEMPTS):
            yield running.attach_ms()


def launch_ours() -> float:
    """The milliseconds from StartSession to the first frame of a viewer that is already attached."""
    with firstlight_daemon(start=False) as (running, client, session):
        viewer = first_at(list(running.viewer))
        # The viewer has attached and got its status by then.
        time.sleep(2)
        begin = time.monotonic_ns()
        client.start(session)
        return (first_ns(viewer) - begin) / 1e6


def launch_theirs() -> float:
    """The milliseconds from the start of ustreamer's process to the first camera frame of a viewer that waits for it.

    The result is reduced by the time by which the viewer may have been late, so that any doubt favours ustreamer.
    """
    viewer = first_at([str(BUILT / "http_viewer"), str(PORT), mjpeg_servers.USTREAMER_PATH])
    time.sleep(1)
    begin = time.monotonic_ns()
    with ustreamer():
        return (first_ns(viewer) - begin) / 1e6 - RETRY_MS


def first_frames(rounds: int, bounds: Bounds) -> None:
    """Prints the times to the first frame, and checks those of launches."""
    attached: dict[str, list[float]] = {"ustreamer": [], "firstlight": []}
    launched: dict[str, list[float]] = {"ustreamer": [], "firstlight": []}
    for number in range(rounds):
        # Only one of the two servers can have the camera.
        for name in reversed(attached) if number % 2 else attached:
            if name == "firstlight":
                attached[name] += attach(firstlight_running)
                launched[name].append(launch_ours())
            else:
                attached[name] += attach(ustreamer)
                launched[name].append(launch_theirs())
    print(f"{'first frame, ms':<46}{'ustreamer':>10}{'firstlight':>11}{'ratio':>8}")
    for what, found in (("attach to running", attached), ("process start / StartSession", launched)):
        theirs, ours = statistics.median(found["ustreamer"]), statistics.median(found["firstlight"])
        # There is no bound for attaching, only the comparison.
        verdict = "ahead" if ours < theirs else "behind"
        if found is launched:
            verdict = "pass" if bounds.check(ours < theirs, f"{what}: {ours:.1f} ms, below {theirs:.1f}") else "FAIL"
        print(f"  {what:<44}{theirs:>10.1f}{ours:>11.1f}{ours / theirs:>7.2f}x  {verdict}", flush=True)
