"""4K raw at 30 frames per second to two readers, for so long that the daemon's memory stops growing.

The test is slow: `make soak` runs it.
"""

from __future__ import annotations

import pathlib
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import firstlight
from firstlight import SharedVideoDataStream, video_data_output
from firstlight.frames import Dropped
from support import SYNTHETIC, timecode

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

RATE = 30
SECONDS = 30
FRAME_BYTES = 3840 * 2160 * 3 // 2
BESIDE_THE_RING = 300e6


def peak_bytes(process_id: int) -> int:
    """The largest resident memory of a process so far in bytes, shared pages included."""
    status = pathlib.Path(f"/proc/{process_id}/status").read_text()
    return 1024 * int(status.partition("VmHWM:")[2].split()[0])


def test_D2_4k_raw_at_30_fps_to_two_readers_stays_within_its_memory(own_daemon, tmp_path):
    path = tmp_path / "frames.sock"
    daemon = own_daemon("--local-socket", str(path))

    def read(name: str) -> tuple[int, float, Dropped]:
        """The number of frames, their rate per second, and the frames lost between them."""
        with SharedVideoDataStream(path, name) as data:
            previous = next(data).sequence
            start = time.monotonic()
            frames, lost = 0, Dropped(0, 0, 0)
            while (passed := time.monotonic() - start) < SECONDS:
                frame = next(data)
                frames += 1
                lost = Dropped(*map(sum, zip(lost, frame.dropped, strict=True)))
                assert frame.sequence == previous + 1 + sum(frame.dropped), "delivered + dropped = produced"
                previous = frame.sequence
            # Only the last frame's pixels are checked: in Python the check takes longer than a frame takes to come.
            assert frame.as_array().shape == (3240, 3840)
            assert timecode(frame) == (frame.sequence, frame.capture_time_ns, 0)
            return frames, frames / passed, lost

    with firstlight.connect(daemon.address, timeout=8) as client:
        name = client.create_session().name
        wanted = firstlight.configuration(
            SYNTHETIC[0],
            pixel_format="NV12",
            size=(3840, 2160),
            frame_rate=RATE,
            preview=False,
            # The queue is for programs that need every frame. Without a queue a reader that waits for a processor loses
            # a frame.
            video_data=[video_data_output("data", queue_depth=4)],
        )
        window = client.configure(name, wanted).resolved_configuration.photo.zero_shutter_lag_window
        client.start(name)
        with ThreadPoolExecutor(2) as threads:
            seen = list(threads.map(read, [name, name]))
    # Both ends of the window are frames, hence the additional one.
    ring = (round(window.ToNanoseconds() / 1e9 * RATE) + 1) * FRAME_BYTES
    peak = peak_bytes(daemon.process.pid)
    print(f"4K raw, 2 readers: {seen}, daemon at most {peak / 1e6:.0f} MB, of which the ring {ring / 1e6:.0f} MB")
    assert ring >= 3 * FRAME_BYTES, "there is a ring"
    assert peak <= BESIDE_THE_RING + ring
    for frames, rate, lost in seen:
        assert sum(lost) == 0, f"{frames} frames, {lost}"
        assert rate >= 0.99 * RATE
