"""Both servers on the same camera, each a process of its own that ends with its `with` block."""

from __future__ import annotations

import contextlib
import dataclasses
import pathlib
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator

import firstlight
from firstlight.daemon import Daemon

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILT = ROOT / ".build/benchmarks"
NODE = "/dev/video0"
SIZE = (640, 360)
#: The frame rate that an emulated guest can encode. At 30 frames per second ustreamer delivers half of them.
RATE = 10
QUALITY = 80
PORT = 8080


@dataclasses.dataclass
class Running:
    """A server: its process, its viewer's command without counts and times, and a function that gets one picture."""

    process_id: int
    viewer: tuple[str, ...]
    picture: Callable[[], bytes]

    def cpu_seconds(self) -> float:
        """The user and system time of the process in seconds (clock_getcpuclockid(3))."""
        return time.clock_gettime(~self.process_id << 3 | 2)


@contextlib.contextmanager
def firstlight_daemon(*, start: bool = True) -> Iterator[tuple[Running, firstlight.Client, str]]:
    """The daemon with a session, which runs unless `start` is false."""
    binary = ROOT / ".build/release/firstlightd"
    with tempfile.TemporaryDirectory() as folder:
        flags = ("--synthetic", "0", "--data-dir", folder)
        with (
            Daemon(binary, *flags, log=pathlib.Path(folder) / "log", timeout=60) as daemon,
            firstlight.connect(daemon.address) as client,
        ):
            camera = min(client.devices(), key=lambda device: device.location).name
            session = client.create_session("bench").name
            client.configure(
                session, firstlight.configuration(camera, pixel_format="YUYV", size=SIZE, frame_rate=RATE, photo=False)
            )
            if start:
                client.start(session)
            viewer = (str(BUILT / "load_client"), daemon.address, session, "JPEG", str(RATE))

            def picture() -> bytes:
                with client.preview(session, encoding=firstlight.Encoding.JPEG, jpeg_quality=QUALITY) as preview:
                    return next(preview).data

            yield Running(daemon.process.pid, viewer, picture), client, session


@contextlib.contextmanager
def firstlight_running() -> Iterator[Running]:
    """The daemon with a running session."""
    with firstlight_daemon() as (running, _, _):
        yield running


@contextlib.contextmanager
def ustreamer(*flags: str) -> Iterator[Running]:
    """ustreamer with its defaults, apart from the flags that make the two servers comparable."""
    command = ["ustreamer", "-d", NODE, "-m", "YUYV", "-r", "x".join(map(str, SIZE)), "-f", str(RATE)]
    command += ["-q", str(QUALITY), "-s", "127.0.0.1", "-p", str(PORT), "--log-level=0", *flags]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:

            def picture() -> bytes:
                with urllib.request.urlopen(f"http://127.0.0.1:{PORT}/snapshot") as response:
                    return response.read()

            yield Running(process.pid, (str(BUILT / "http_viewer"), str(PORT)), picture)
        finally:
            process.terminate()
