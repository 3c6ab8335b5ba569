"""Both servers on the same camera, each a process of its own that ends with its `with` block."""

from __future__ import annotations

import contextlib
import dataclasses
import pathlib
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator

import mjpeg_servers
from servers import BUILT, ROOT, ServerProcess

import firstlight
from firstlight.daemon import Daemon

NODE = "/dev/video0"
SIZE = (640, 360)
#: The frame rate that an emulated guest can encode. At 30 frames per second ustreamer delivers half of them.
RATE = 10
QUALITY = 80
PORT = 8080


@dataclasses.dataclass
class Running(ServerProcess):
    """A server: its process, its viewer's command without counts and times, and functions that get one picture and the
    milliseconds to attach a viewer.
    """

    viewer: tuple[str, ...]
    picture: Callable[[], bytes]
    attach_ms: Callable[[], float]


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

            def preview() -> firstlight.PreviewStream:
                return client.preview(session, encoding=firstlight.Encoding.JPEG, jpeg_quality=QUALITY)

            def picture() -> bytes:
                with preview() as frames:
                    return next(frames).data

            def attach_ms() -> float:
                # The call establishes the connection.
                client.devices()
                begin = time.monotonic()
                with preview() as frames:
                    next(frames)
                    return (time.monotonic() - begin) * 1000

            yield Running(daemon.process.pid, viewer, picture, attach_ms), client, session


@contextlib.contextmanager
def firstlight_running() -> Iterator[Running]:
    """The daemon with a running session."""
    with firstlight_daemon() as (running, _, _):
        yield running


@contextlib.contextmanager
def ustreamer(*flags: str) -> Iterator[Running]:
    """ustreamer with its defaults, apart from the flags that make the two servers comparable."""
    with mjpeg_servers.ustreamer(
        *flags, node=NODE, pixel_format="YUYV", size=SIZE, frame_rate=RATE, quality=QUALITY, port=PORT
    ) as server:

        def picture() -> bytes:
            with urllib.request.urlopen(f"http://127.0.0.1:{PORT}/snapshot") as response:
                return response.read()

        yield Running(server.process_id, server.viewer, picture, server.attach_ms)
