"""Measures the fan-out of Firstlight beside a native gRPC C++ server, in one run, and prints their ratios.

Both stream the same number of bytes per frame at 30 frames a second to 1, 50 and 200 subscribers of one machine, each
over a connection of its own. They take turns, each time as a new process, so that a machine that is busy for a while is
busy for both. Nothing is asserted: times depend on the machine, ratios much less.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator

ROOT = pathlib.Path(__file__).resolve().parents[2]
NATIVE_SERVER = ROOT / ".build/benchmarks/native_server"
LOAD_CLIENT = ROOT / ".build/benchmarks/load_client"

#: The smallest usual camera format of about 100 kB, raw: what is compared is fan-out, not compression.
SIZE = (320, 180)
PAYLOAD = SIZE[0] * SIZE[1] * 2
FRAME_RATE = 30

FOOTNOTE = f"""\
Frames are raw YUYV {SIZE[0]}x{SIZE[1]}, {PAYLOAD} bytes, {FRAME_RATE} per second. CPU is user and system time of the
server process over the window, latency is arrival at the client minus the frame's time stamp (CLOCK_MONOTONIC), memory
is VmHWM. native: a gRPC C++ callback server that allocates a buffer per frame, fills it with memset and lends it to all
subscribers. firstlight: the whole daemon, whose synthetic camera draws its picture; drawing and the rest of the daemon
are in its figures. The load client runs on the same cores. Medians over the rounds."""


@dataclasses.dataclass
class Result:
    """What one server did for one number of subscribers."""

    cpu_seconds: float
    p50_ms: float
    p99_ms: float
    peak_mb: float
    #: Frames that arrived, of those that were due.
    delivered: float


@dataclasses.dataclass
class Server:
    """A running server, and the session to ask it for."""

    process_id: int
    address: str
    session: str

    def cpu_seconds(self) -> float:
        """User and system time so far, of all threads (proc(5): fields 14 and 15 of stat)."""
        fields = pathlib.Path(f"/proc/{self.process_id}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def peak_mb(self) -> float:
        """The most memory it ever had resident."""
        for line in pathlib.Path(f"/proc/{self.process_id}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1000
        raise RuntimeError("no VmHWM")


@contextlib.contextmanager
def native() -> Iterator[Server]:
    """Runs the native server."""
    command = [NATIVE_SERVER, str(PAYLOAD), str(FRAME_RATE)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().strip().removeprefix("listening on ")
            yield Server(process.pid, address, "sessions/bench")
        finally:
            process.terminate()


@contextlib.contextmanager
def firstlight(binary: pathlib.Path) -> Iterator[Server]:
    """Runs the daemon with one synthetic camera that streams."""
    import firstlight as client_library
    from firstlight.configuration import configuration
    from firstlight.daemon import Daemon

    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        arguments = ("--synthetic", "1", "--data-dir", folder)
        with Daemon(binary, *arguments, log=path / "log") as daemon, client_library.connect(daemon.address) as client:
            session = client.create_session("bench").name
            wanted = configuration(
                "devices/synthetic-0", pixel_format="YUYV", size=SIZE, frame_rate=FRAME_RATE, photo=False
            )
            client.configure(session, wanted)
            client.start(session)
            yield Server(daemon.process.pid, daemon.address, session)


def measure(server: Server, subscribers: int, seconds: float) -> Result:
    """Attaches the subscribers and watches the server while they read."""
    command = [LOAD_CLIENT, server.address, server.session, str(subscribers), "1", str(seconds)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as client:
        assert client.stdout is not None
        if client.stdout.readline() != "measuring\n":
            raise RuntimeError("the load client did not get its frames")
        before = server.cpu_seconds()
        seen = json.loads(client.stdout.readline())
        cpu_seconds = server.cpu_seconds() - before
    if client.returncode != 0:
        raise RuntimeError("a stream ended early")
    if seen["payload"] != PAYLOAD:
        raise RuntimeError(f"frames have {seen['payload']} bytes instead of {PAYLOAD}")
    due = subscribers * FRAME_RATE * seconds
    return Result(cpu_seconds, seen["p50_ms"], seen["p99_ms"], server.peak_mb(), seen["frames"] / due)


def median(results: list[Result]) -> Result:
    """The median of each figure."""
    fields = [field.name for field in dataclasses.fields(Result)]
    return Result(**{name: statistics.median(getattr(result, name) for result in results) for name in fields})


def row(name: str, subscribers: int, result: Result) -> str:
    """One line of the table."""
    return (
        f"{subscribers:>4} x {PAYLOAD / 1000:.0f} kB  {name:<11}{result.cpu_seconds:>8.2f}{result.p50_ms:>9.2f}"
        f"{result.p99_ms:>9.2f}{result.peak_mb:>9.1f}{result.delivered:>10.1%}"
    )


def ratios(ours: Result, floor: Result) -> str:
    """The line below two rows: how many times the floor."""

    def times(a: float, b: float) -> str:
        return f"{a / b:.2f}x" if b > 0 else "-"

    return (
        f"{'':>14}{'ratio':<11}{times(ours.cpu_seconds, floor.cpu_seconds):>8}{times(ours.p50_ms, floor.p50_ms):>9}"
        f"{times(ours.p99_ms, floor.p99_ms):>9}{times(ours.peak_mb, floor.peak_mb):>9}"
    )


def main() -> int:
    """Runs everything and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--daemon", type=pathlib.Path, default=ROOT / ".build/release/firstlightd")
    parser.add_argument("--subscribers", type=int, nargs="+", default=[1, 50, 200])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=7)
    parser.add_argument("--native-only", action="store_true", help="measure the floor alone")
    options = parser.parse_args()

    servers = {"native": native}
    if not options.native_only:
        servers["firstlight"] = lambda: firstlight(options.daemon)
    print(f"{'subscribers':<14}{'server':<11}{'CPU s':>8}{'p50 ms':>9}{'p99 ms':>9}{'peak MB':>9}{'delivered':>10}")
    for subscribers in options.subscribers:
        results: dict[str, list[Result]] = {name: [] for name in servers}
        for _ in range(options.rounds):
            for name, run in servers.items():
                with run() as server:
                    results[name].append(measure(server, subscribers, options.seconds))
        medians = {name: median(found) for name, found in results.items()}
        for name, result in medians.items():
            print(row(name, subscribers, result))
        if "firstlight" in medians:
            print(ratios(medians["firstlight"], medians["native"]))
        sys.stdout.flush()
    print(f"\n{options.rounds} rounds of {options.seconds:g} s each.\n{FOOTNOTE}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
