"""Measures what hostile clients on the same machine cost a daemon and its honest viewer. Fails when a bound is missed.

One client and four clients at once abuse HTTP/2 in each of the ways of Tests/Acceptance/hostile.py, while a viewer
watches 640x360 at 30 frames per second. Real hostile clients would be other machines, so these run only while a
processor has nothing else to do. The program thus measures the daemon's own work for them. The viewer uses a connection
from before the attack. The table also shows how new clients fare. Afterwards honest clients do what could be taken for
abuse, and the daemon must not cut them.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import contextlib
import itertools
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from typing import NamedTuple

import grpc
from bounds import Bounds

import firstlight
from firstlight.daemon import Daemon
from firstlight.v1 import photo_service_pb2 as photo_pb2, photo_service_pb2_grpc as photo_grpc

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/Acceptance"))
import hostile  # noqa: E402  (in the folder of the tests, which use it, too)

CAMERA = "devices/synthetic-0"
LONGEST_GAP_MS = 100
PEAK_MB = 256
LEFT_BEHIND = 1.2

#: Only one attack runs at a time. While one daemon rests after its attack, the next attack may run.
_attacking = threading.Lock()


def megabytes(process_id: int, name: str) -> float:
    """A line of the process's status, in megabytes."""
    (found,) = re.findall(rf"^{name}:\s+(\d+) kB", pathlib.Path(f"/proc/{process_id}/status").read_text(), re.M)
    return int(found) * 1024 / 1e6


class Viewer:
    """A viewer: a reader.py in a process of its own."""

    def __init__(self, address: str, session: str, file: pathlib.Path) -> None:
        file.touch()
        self._file = file
        script = ROOT / "Tests/Acceptance/reader.py"
        self.process = subprocess.Popen([sys.executable, str(script), address, session, str(file)])
        while len(self.rows()) < 30:
            if self.process.poll() is not None:
                raise RuntimeError("the viewer got no frames")
            time.sleep(0.1)

    def rows(self) -> list[list[int]]:
        """The arrival, capture time, sequence number and size of each frame."""
        lines = self._file.read_text().rpartition("\n")[0].splitlines()
        return [[int(each) for each in line.split()] for line in lines]


class Felt(NamedTuple):
    """The effects of an attack on the viewer and the daemon."""

    lost: int
    gap_ms: float
    before_mb: float
    peak_mb: float
    after_mb: float
    cpu: float
    cuts: str
    newcomers: str

    HEADER = "  lost   gap ms  before     peak    after MB  CPU share  cut, gave way, refused; newcomers"

    def __str__(self) -> str:
        """One line of the table."""
        return (
            f"{self.lost:>6}{self.gap_ms:>9.0f}{self.before_mb:>8.0f}{self.peak_mb:>9.0f}{self.after_mb:>9.0f}"
            f"{self.cpu:>14.2f}  {self.cuts}; {self.newcomers}"
        )


class Newcomers(threading.Thread):
    """Makes a connection and a call each second, as a health check does."""

    def __init__(self, address: str) -> None:
        super().__init__(daemon=True)
        self._address = address
        self._ends = threading.Event()
        self.served = self.tried = 0
        self.start()

    def run(self) -> None:
        """Connects until `stop`."""
        while not self._ends.wait(1):
            self.tried += 1
            try:
                with firstlight.connect(self._address, timeout=2) as client:
                    client.server_info()
                self.served += 1
            except firstlight.FirstlightError:
                pass

    def stop(self) -> str:
        """Ends the thread. Returns the numbers of connections served and tried."""
        self._ends.set()
        self.join()
        return f"{self.served} of {self.tried}"


@contextlib.contextmanager
def attackers(kind: str, count: int, address: str, seconds: float) -> Iterator[None]:
    """Runs `count` hostile clients, each as a process, until the block ends."""
    command = ["chrt", "--idle", "0", sys.executable, hostile.__file__, kind, address, str(seconds)]
    running = [subprocess.Popen(command) for _ in range(count)]
    try:
        yield
    finally:
        for each in running:
            each.kill()
            each.wait()


def counters(metrics: str) -> str:
    """The daemon's counts of connections that it cut, that gave way, and that it refused."""
    with urllib.request.urlopen(metrics) as response:
        page = response.read().decode()

    def value(name: str) -> int:
        return int(float(re.findall(rf"^{re.escape(name)} (\S+)$", page, re.M)[0]))

    try:
        names = ['cut_total{excess="calls"}', 'cut_total{excess="bytes"}', "gave_way_total", "refused_total"]
        return "/".join(str(value(f"firstlight_grpc_connections_{name}")) for name in names)
    except IndexError:
        return "not counted"


def assault(binary: pathlib.Path, kind: str, count: int, seconds: float, rest: float) -> Felt:
    """Measures one kind of attack with `count` clients."""
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        with _attacking:
            daemon, session, metrics = stack.enter_context(streaming(binary, (640, 360)))
            viewer = Viewer(daemon.address, session, pathlib.Path(folder) / "rows")
            stack.callback(viewer.process.kill)
            time.sleep(3)
            process_id = daemon.process.pid
            before_mb = megabytes(process_id, "VmRSS")
            pathlib.Path(f"/proc/{process_id}/clear_refs").write_text("5")
            begin, cpu = time.monotonic_ns(), time.clock_gettime(~process_id << 3 | 2)
            newcomers = Newcomers(daemon.address)
            with attackers(kind, count, daemon.address, seconds):
                time.sleep(seconds)
            cpu = (time.clock_gettime(~process_id << 3 | 2) - cpu) / seconds
            end = time.monotonic_ns()
            served = newcomers.stop()
        peak_mb = megabytes(process_id, "VmHWM")
        time.sleep(rest)
        rows = [row for row in viewer.rows() if begin <= row[0] <= end]
        gaps = [(b[0] - a[0]) / 1e6 for a, b in itertools.pairwise(rows)] + [(end - rows[-1][0]) / 1e6]
        return Felt(
            lost=rows[-1][2] - rows[0][2] - len(rows) + 1,
            gap_ms=max(gaps),
            before_mb=before_mb,
            peak_mb=peak_mb,
            after_mb=megabytes(process_id, "VmRSS"),
            cpu=cpu,
            cuts=counters(metrics),
            newcomers=served,
        )


@contextlib.contextmanager
def streaming(binary: pathlib.Path, size: tuple[int, int], frame_rate: int = 30) -> Iterator[tuple[Daemon, str, str]]:
    """A daemon whose camera streams, the name of the session, and the address of the daemon's metrics."""
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        log = pathlib.Path(folder) / "log"
        flags = ("--synthetic", "1", "--data-dir", folder, "--metrics-listen", "127.0.0.1:0")
        daemon = stack.enter_context(Daemon(binary, *flags, log=log))
        client = stack.enter_context(firstlight.connect(daemon.address))
        session = client.create_session().name
        client.configure(
            session, firstlight.configuration(CAMERA, pixel_format="NV12", size=size, frame_rate=frame_rate)
        )
        client.start(session)
        (metrics,) = re.findall(r"metrics at (http://\S+/metrics)", log.read_text())
        yield daemon, session, metrics


def viewers(daemon: Daemon, session: str, count: int, frame_rate: int) -> str:
    """Runs the load client for ten seconds, with `count` readers and a TCP connection for each. Returns its line of
    JSON with the number, the size and the age of the frames that arrived.
    """
    client = ROOT / ".build/benchmarks/load_client"
    command = [client, daemon.address, session, "NV12", str(frame_rate), str(count), "1", "10"]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    return result.stdout.splitlines()[-1]


def raw_reader(daemon: Daemon, session: str) -> str:
    """Reads whole raw frames for ten seconds. Returns the number and the size of the frames."""
    end = time.monotonic() + 10
    with (
        firstlight.connect(daemon.address) as client,
        client.preview(session, pixel_format="NV12", max_message_bytes=16 << 20) as preview,
    ):
        frames = list(
            map(len, (frame.data for frame in itertools.takewhile(lambda _: time.monotonic() < end, preview)))
        )
    return f"{len(frames)} frames of {max(frames)} bytes"


def photos(daemon: Daemon, session: str, count: int) -> str:
    """Requests `count` photos at once. Returns how the calls ended."""
    with firstlight.connect(daemon.address) as client:
        stub = photo_grpc.PhotoServiceStub(client.channel)
        calls = [stub.CapturePhoto(photo_pb2.CapturePhotoRequest(session=session), timeout=60) for _ in range(count)]
        return str(dict(collections.Counter(_end(each) for each in calls)))


def _end(stream: grpc.Call) -> str:
    with contextlib.suppress(grpc.RpcError):
        for _ in stream:
            pass
    return stream.code().name


def honest(binary: pathlib.Path, bounds: Bounds) -> None:
    """Runs the honest clients, which the daemon must not cut."""
    uses: dict[str, tuple[tuple[int, int], int, Callable[[Daemon, str], str]]] = {
        # The rate is such that two processors can send the frames to so many readers.
        "1,000 viewers": ((320, 180), 5, lambda daemon, session: viewers(daemon, session, 1000, 5)),
        "2,000 photos": ((640, 360), 30, lambda daemon, session: photos(daemon, session, 2000)),
        "4K raw reader": ((3840, 2160), 30, raw_reader),
    }
    for what, (size, frame_rate, use) in uses.items():
        with streaming(binary, size, frame_rate) as (daemon, session, metrics):
            seen = use(daemon, session)
            found = counters(metrics)
        print(f"{what:<20}cut, gave way, refused: {found}; {seen}", flush=True)
        bounds.check(found == "0/0/0/0", f"{what}: cut, gave way or refused: {found}")


def main() -> None:
    """Runs everything and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--daemon", type=pathlib.Path, default=ROOT / ".build/release/firstlightd")
    parser.add_argument("--kinds", nargs="+", choices=hostile.KINDS, default=hostile.KINDS)
    parser.add_argument("--counts", type=int, nargs="+", default=(1, 4), help="hostile clients at once")
    parser.add_argument("--seconds", type=float, default=30, help="of each")
    parser.add_argument("--rest", type=float, default=30, help="until memory must be back")
    options = parser.parse_args()
    bounds = Bounds()
    print(f"{'kind':<20}{'clients':>7}{Felt.HEADER}", flush=True)
    cases = list(itertools.product(options.kinds, options.counts))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        felts = [pool.submit(assault, options.daemon, *case, options.seconds, options.rest) for case in cases]
        for (kind, count), found in zip(cases, felts, strict=True):
            check(kind, count, found.result(), bounds)
    honest(options.daemon, bounds)
    sys.exit(bounds.ending())


def check(kind: str, count: int, felt: Felt, bounds: Bounds) -> None:
    """Prints a line of the table, and notes the bounds that were missed."""
    print(f"{kind:<20}{count:>7}{felt}", flush=True)
    what = f"{count} x {kind}"
    bounds.check(felt.lost == 0, f"{what}: the viewer lost {felt.lost} frames")
    bounds.check(felt.gap_ms <= LONGEST_GAP_MS, f"{what}: a gap of {felt.gap_ms:.0f} ms, at most {LONGEST_GAP_MS}")
    bounds.check(felt.peak_mb <= PEAK_MB, f"{what}: {felt.peak_mb:.0f} MB at the peak, at most {PEAK_MB}")
    limit = LEFT_BEHIND * felt.before_mb
    bounds.check(felt.after_mb <= limit, f"{what}: {felt.after_mb:.0f} MB afterwards, at most {limit:.0f}")


if __name__ == "__main__":
    main()
