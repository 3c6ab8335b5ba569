"""A random walk through commits that add, remove, swap and wire cameras and change a composition of them, with a reader
at each output.
"""

from __future__ import annotations

import collections
import os
import time

import pytest

import firstlight
from camera_walk import Walk
from processes import thread_names
from support import resident_bytes, wait_until

#: How many commits the long walk makes.
COMMITS = int(os.environ.get("FIRSTLIGHT_WALK_COMMITS", "5000"))
#: The seed of the walk; a new one each time unless the environment names one.
SEED = int(os.environ.get("FIRSTLIGHT_WALK_SEED", time.time_ns() % 1_000_000))
#: The commits before the daemon's threads, descriptors and memory are measured.
WARM_UP = 100
#: How much larger the memory may be at the end. If each commit kept one frame, it would grow by more.
MARGIN = 16 << 20


def threads(process: int) -> collections.Counter[str]:
    """The threads of a process by their names."""
    return collections.Counter(thread_names(process))


def descriptors(process: int) -> int:
    """The number of descriptors of a process."""
    return len(os.listdir(f"/proc/{process}/fd"))


@pytest.mark.parametrize(
    "commits",
    [
        pytest.param(300, marks=pytest.mark.timeout(120)),
        pytest.param(COMMITS, marks=[pytest.mark.slow, pytest.mark.timeout(120 + COMMITS)]),
    ],
)
def test_L1_a_random_walk_leaves_the_cameras_alone_that_it_does_not_change(own_daemon, commits):
    daemon = own_daemon("--synthetic", "9", "--enable-fault-injection", "--max-calls-per-second", "0")
    process = daemon.process.pid
    with firstlight.connect(daemon.address, timeout=30) as client:
        walk = Walk(client, SEED)
        try:
            # Every camera has been open before the daemon's memory counts.
            for _ in range(WARM_UP):
                walk.step()
            walk.end()
            # The launch is over when the exposure has settled, which a thread of the lowest priority finds out.
            wait_until(lambda: "settling" not in threads(process), seconds=30)
            before, memory = (threads(process), descriptors(process)), resident_bytes(process)
            for _ in range(commits - WARM_UP):
                walk.step()
            walk.end()
            wait_until(lambda: threads(process) <= before[0] and descriptors(process) <= before[1], seconds=30)
            assert resident_bytes(process) < memory + MARGIN
            assert walk.check() > commits // 4
            assert walk.check_composed() > commits // 16
        except BaseException:
            print(f"seed {SEED}:", *walk.trace, sep="\n  ")
            raise
