"""A machine that really sleeps, with a running session on vivid. A program, not a test of pytest: see below.

Run by scripts/vm-test in a guest of its own. That guest's root does not answer any more once it has slept, so whatever
runs after waking lies in memory: the daemon and its libraries are copied there first, this program is locked into it,
and what it found is told over the serial console before it switches the machine off. It says `suspend: passed`, or what
was wrong.
"""

import ctypes
import os
import re
import shutil
import subprocess
import time
from pathlib import Path

import grpc

from client import Client, next_frame, status_error_info
from firstlight.v1 import preview_service_pb2, session_pb2, types_pb2 as types

ADDRESS = "127.0.0.1:50051"
MEMORY = Path("/run/suspend")
#: Seconds until the alarm, and the least sleep that shows in the clocks.
ALARM, LEAST = 6, 2
SUSPEND = types.INTERRUPTION_REASON_SYSTEM_SUSPEND
RUNNING = session_pb2.Session.STATE_RUNNING


def copy_into_memory(binary: str) -> list[str]:
    """The daemon with every library it is linked with, in /run, which is memory. Returns the command that starts it."""
    libraries = MEMORY / "lib"
    libraries.mkdir(parents=True)
    shutil.copy(binary, MEMORY / "firstlightd")
    linked = subprocess.run(["ldd", binary], check=True, capture_output=True, text=True).stdout
    for path in re.findall(r"(/\S+) \(0x", linked):
        shutil.copy(path, libraries)
    (loader,) = libraries.glob("ld-linux-*")
    return [str(loader), "--library-path", str(libraries), str(MEMORY / "firstlightd")]


def lock_into_memory() -> None:
    """Every page of this process, those to come as well."""
    current_and_future = 3
    if ctypes.CDLL(None, use_errno=True).mlockall(current_and_future) != 0:
        raise OSError(ctypes.get_errno(), "mlockall")


def wall_offset(frame: preview_service_pb2.PreviewFrame) -> int:
    """What the daemon added to the driver's time stamp, nanoseconds."""
    return frame.capture_time.ToNanoseconds() - frame.monotonic_time_ns


def check(holds: bool, what: str) -> None:
    """Nothing that fails may look into source files: there are none any more."""
    if not holds:
        raise AssertionError(what)


def sleep(state: int, alarm: int) -> float:
    """Sends the machine to sleep. Returns when it is awake, how many seconds it slept."""

    def gained() -> float:
        return time.clock_gettime(time.CLOCK_BOOTTIME) - time.clock_gettime(time.CLOCK_MONOTONIC)

    before = gained()
    os.write(alarm, f"+{ALARM}".encode())
    os.write(state, b"mem")
    return gained() - before


def run(client: Client, name: str, state: int, alarm: int) -> float:
    """The session before and after a sleep."""
    with client.watch_session(name) as events, client.stream_preview(name) as stream:
        before = next_frame(stream)
        lock_into_memory()
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
        check(moved > (slept - 1.5) * 1e9, f"the wall clock moved by {moved} ns")
        check(client.state(name) == RUNNING, "the session does not run")
        return slept


def main() -> None:
    """One sleep."""
    binary = os.environ["FIRSTLIGHTD"]
    command = copy_into_memory(binary)
    console = os.open("/dev/ttyS0", os.O_WRONLY | os.O_NOCTTY)
    switch = os.open("/proc/sysrq-trigger", os.O_WRONLY)
    state = os.open("/sys/power/state", os.O_WRONLY)
    alarm = os.open("/sys/class/rtc/rtc0/wakealarm", os.O_WRONLY)
    with open(MEMORY / "log", "w+") as log:
        daemon = subprocess.Popen(
            [*command, "serve", "--listen", ADDRESS, "--data-dir", str(MEMORY / "data"), "--synthetic", "0"],
            cwd=MEMORY,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            with grpc.insecure_channel(f"ipv4:{ADDRESS}") as channel:
                grpc.channel_ready_future(channel).result(60)
                client = Client(channel)
                with client.open_session(client.cameras()[0].name) as name:
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
