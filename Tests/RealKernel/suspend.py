"""A12: a machine that really sleeps while a session runs on vivid. This file is a program, not a test of pytest.

scripts/vm-test runs this program in a guest of its own. The root of that guest is a share of the host that does not
answer after the machine has slept. A process that then looks up a path on the share waits for ever. The daemon would
hang in the next line of its log, because the time zone is a file. So the daemon has a root of its own in memory, with
nothing but its libraries, and this program changes to that root too once it has loaded all that it needs. It reports
over the serial console, `suspend: passed` or the failure, and switches the machine off.
"""

import ctypes
import os
import re
import shutil
import subprocess
import time
from pathlib import Path

import grpc

from client import Client, Stream, next_frame, status_error_info
from firstlight.v1 import (
    preview_service_pb2,
    session_configuration_pb2 as configuration_pb2,
    session_pb2,
    types_pb2 as types,
    video_data_service_pb2,
)

ADDRESS = "127.0.0.1:50051"
MEMORY = Path("/run/suspend")
#: The seconds until the alarm, and the shortest sleep that shows in the clocks, in seconds.
ALARM, LEAST = 10, 2
SUSPEND = types.INTERRUPTION_REASON_SYSTEM_SUSPEND
RUNNING = session_pb2.Session.STATE_RUNNING
OUTPUT = configuration_pb2.VideoDataOutput(id="every", always_discards_late_video_frames=False)

Frame = preview_service_pb2.PreviewFrame | video_data_service_pb2.VideoDataFrame


def make_root(binary: str) -> None:
    """Builds a root in memory: the daemon, its libraries and the kernel's own file systems."""
    linked = subprocess.run(["ldd", binary], check=True, capture_output=True, text=True).stdout
    for path in [binary, *re.findall(r"(/\S+) \(0x", linked)]:
        copy = MEMORY / path.lstrip("/")
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
    for folder in ("dev", "proc", "sys"):
        (MEMORY / folder).mkdir()
        subprocess.run(["mount", "--rbind", f"/{folder}", MEMORY / folder], check=True)


def leave_disk() -> None:
    """Locks every present and future page of this process in memory, and makes the root in memory the root of this
    process.
    """
    current_and_future = 3
    if ctypes.CDLL(None, use_errno=True).mlockall(current_and_future) != 0:
        raise OSError(ctypes.get_errno(), "mlockall")
    os.chroot(MEMORY)
    os.chdir("/")


def wall_offset(frame: Frame) -> int:
    """The nanoseconds that the daemon added to the driver's time stamp."""
    return frame.capture_time.ToNanoseconds() - frame.monotonic_time_ns


def check(holds: bool, what: str) -> None:
    """Asserts without a source file, which Python needs for the message of an assert statement and cannot read any
    more.
    """
    if not holds:
        raise AssertionError(what)


def sleep(state: int, alarm: int) -> float:
    """Sends the machine to sleep. Returns after it has woken, with the seconds that it slept."""

    def gained() -> float:
        return time.clock_gettime(time.CLOCK_BOOTTIME) - time.clock_gettime(time.CLOCK_MONOTONIC)

    before = gained()
    os.write(alarm, f"+{ALARM}".encode())
    os.write(state, b"mem")
    return gained() - before


def check_stream(stream: Stream, before: Frame, slept: float, stream_id: int) -> None:
    """Checks the frames of one stream, from the last one before the sleep on."""
    old, after = [before], next_frame(stream)
    while after.stream_id == before.stream_id:
        old.append(after)
        after = next_frame(stream)
    check(after.stream_id == stream_id, "frames are of another stream than was told")
    check(after.dropped.discontinuity >= 1, "no discontinuity is counted")
    spread = max(abs(wall_offset(frame) - wall_offset(before)) for frame in old)
    check(spread < 100_000_000, f"the former stream's time stamps moved by {spread} ns")
    offset = time.time_ns() - time.monotonic_ns()
    for frame in (after, next_frame(stream), next_frame(stream)):
        error = abs(wall_offset(frame) - offset)
        check(error < 100_000_000, f"time stamps are wrong by {error} ns after waking")
    moved = wall_offset(after) - wall_offset(before)
    # The clock that measures the sleep counts in seconds.
    check(moved > (slept - 1.5) * 1e9, f"the wall clock moved by {moved} ns")


def run(client: Client, name: str, state: int, alarm: int) -> float:
    """Runs a session through a sleep and checks it. Returns the seconds that the machine slept."""
    with (
        client.watch_session(name) as events,
        client.stream_preview(name) as preview,
        client.stream_video_data(name, OUTPUT.id) as video_data,
    ):
        before = [(stream, next_frame(stream)) for stream in (preview, video_data)]
        leave_disk()
        slept = sleep(state, alarm)
        check(slept >= LEAST, f"the machine slept {slept:.1f} s")
        interrupted = events.until(lambda message: message.event.HasField("was_interrupted"))[-1].event.was_interrupted
        info = status_error_info(interrupted.error)
        check(interrupted.interruption_reason == SUSPEND, f"interrupted by {interrupted.interruption_reason}")
        check(info.reason == "SYSTEM_SUSPEND", info.reason)
        told = float(info.metadata["suspended_seconds"])
        check(abs(told - slept) < 0.5, f"it slept {slept:.1f} s, the daemon says {told} s")
        messages = events.until(lambda message: message.event.HasField("interruption_ended"))
        stream_id = messages[-1].event.interruption_ended.stream_id
        for stream, frame in before:
            check_stream(stream, frame, slept, stream_id)
        check(client.state(name) == RUNNING, "the session does not run")
        return slept


def main() -> None:
    """Runs one sleep and reports the result."""
    binary = os.environ["FIRSTLIGHTD"]
    console = os.open("/dev/ttyS0", os.O_WRONLY | os.O_NOCTTY)
    switch = os.open("/proc/sysrq-trigger", os.O_WRONLY)
    state = os.open("/sys/power/state", os.O_WRONLY)
    alarm = os.open("/sys/class/rtc/rtc0/wakealarm", os.O_WRONLY)
    make_root(binary)
    with open(MEMORY / "log", "w+") as log:
        daemon = subprocess.Popen(
            ["chroot", MEMORY, binary, "serve", "--listen", ADDRESS, "--data-dir", "/data", "--synthetic", "0"],
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            with grpc.insecure_channel(f"ipv4:{ADDRESS}") as channel:
                grpc.channel_ready_future(channel).result(60)
                client = Client(channel)
                camera = client.cameras()[0].name
                with client.open_session(camera, video_data=[OUTPUT]) as name:
                    result = f"passed, slept {run(client, name, state, alarm):.1f} s"
        except Exception as error:
            log.seek(0)
            end = daemon.poll()
            os.write(console, f"the daemon's end: {end}; its log:\n{log.read()}\n".encode())
            result = f"failed: {type(error).__name__}: {error}"
    os.write(console, f"suspend: {result}\n".encode())
    time.sleep(0.5)
    os.write(switch, b"o")
    time.sleep(60)


if __name__ == "__main__":
    main()
