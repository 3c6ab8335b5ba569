"""Firstlight and ustreamer as servers of MJPEG over HTTP, each a process of its own that ends with its `with` block."""

from __future__ import annotations

import contextlib
import dataclasses
import pathlib
import re
import socket
import subprocess
import time
from collections.abc import Iterator

import fake_camera
import measured
from fake_camera import FakeCamera
from servers import BUILT, ServerProcess

import firstlight as client_library
from firstlight.daemon import Daemon
from firstlight.v1 import session_configuration_pb2 as configuration_pb2

#: The stream of ustreamer. With the headers that it adds, http_viewer tells frames of the camera from others.
USTREAMER_PATH = "/stream?extra_headers=1"


@dataclasses.dataclass
class MJPEGServer(ServerProcess):
    """A running server, and where it streams."""

    port: int
    path: str

    @property
    def viewer(self) -> tuple[str, str, str]:
        """The command of http_viewer, without the number of viewers and the times."""
        return (str(BUILT / "http_viewer"), str(self.port), self.path)

    def cpu_seconds(self) -> float:
        """As in `ServerProcess`, without the thread of a fake camera. A real camera wakes its reader by an interrupt,
        which no process pays for.
        """
        of_camera = 0
        for thread in pathlib.Path(f"/proc/{self.process_id}/task").iterdir():
            # A thread that has ended meanwhile is not that of the camera.
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                if (thread / "comm").read_text().strip() == fake_camera.THREAD:
                    # The first number is the time on a processor in nanoseconds (sched-stats.rst of the kernel).
                    of_camera += int((thread / "schedstat").read_text().split()[0])
        return super().cpu_seconds() - of_camera / 1e9

    def memory_of_camera_mb(self) -> float:
        """The resident memory of a fake camera's buffers. A real camera has its buffers in the kernel."""
        maps = pathlib.Path(f"/proc/{self.process_id}/smaps").read_text()
        buffers = re.findall(rf"^\S+ \S+ \S+ \S+ \S+ +{fake_camera.BUFFERS}.*\n(?:.*\n){{3}}Rss: +(\d+) kB", maps, re.M)
        return sum(map(int, buffers)) * 1024 / 1e6

    def connect(self) -> socket.socket:
        """A new connection."""
        return socket.create_connection(("127.0.0.1", self.port))

    def parts(self, connection: socket.socket) -> Iterator[dict[str, str]]:
        """Requests the stream on a connection. Gives the headers of each frame once the whole frame has arrived."""
        connection.sendall(f"GET {self.path} HTTP/1.0\r\nHost: 127.0.0.1:{self.port}\r\n\r\n".encode())
        headers: dict[str, str] = {}
        with connection.makefile("rb") as stream:
            for line in stream:
                name, _, value = line.decode().strip().partition(": ")
                if value:
                    headers[name.lower()] = value
                elif not name and "content-length" in headers:
                    stream.read(int(headers["content-length"]))
                    yield headers
                    headers = {}

    def attach_ms(self) -> float:
        """The milliseconds from a request for the stream to the whole first frame, on a connection that exists."""
        with self.connect() as connection:
            begin = time.monotonic()
            next(self.parts(connection))
            return (time.monotonic() - begin) * 1000


def free_port() -> int:
    """A port that no program listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


@contextlib.contextmanager
def ustreamer(
    *flags: str, node: str, pixel_format: str, size: tuple[int, int], frame_rate: int, quality: int, port: int
) -> Iterator[MJPEGServer]:
    """ustreamer with its defaults, apart from the flags that make the two servers comparable."""
    command = ["ustreamer", "-d", node, "-m", pixel_format, "-r", "x".join(map(str, size)), "-f", str(frame_rate)]
    command += ["-q", str(quality), "-s", "127.0.0.1", "-p", str(port), "--log-level=0", *flags]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            yield MJPEGServer(process.pid, port, USTREAMER_PATH)
        finally:
            process.terminate()


@contextlib.contextmanager
def ustreamer_of(camera: FakeCamera, quality: int) -> Iterator[MJPEGServer]:
    """ustreamer with a fake camera, once it listens. It passes the pictures of an MJPG camera through."""
    port = free_port()
    is_jpeg = camera.pixel_format == "MJPG"
    flags = ("-c", "HW") if is_jpeg else ()
    with contextlib.ExitStack() as stack:
        with camera.loading():
            server = stack.enter_context(
                ustreamer(
                    *flags,
                    node=camera.node,
                    pixel_format="MJPEG" if is_jpeg else camera.pixel_format,
                    size=camera.size,
                    frame_rate=camera.frame_rate,
                    quality=quality,
                    port=port,
                )
            )
        deadline = time.monotonic() + 10
        while True:
            with contextlib.suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port)):
                break
            if time.monotonic() > deadline:
                raise RuntimeError("ustreamer does not listen")
            time.sleep(0.01)
        yield server


@contextlib.contextmanager
def firstlight_of(
    camera: FakeCamera, quality: int | None, binary: pathlib.Path, data: pathlib.Path
) -> Iterator[MJPEGServer]:
    """The daemon with a session of a fake camera that runs. Without `quality`, pictures of an MJPG camera pass through.

    `data` is the folder of the daemon's data. Daemons that share it measure the machine only once; see
    `await_measured`. No client of gRPC stays connected, since ustreamer has none either.
    """
    with configured(camera, quality, binary, data) as (server, client, _):
        client.close()
        yield server


def await_measured(camera: FakeCamera, quality: int | None, binary: pathlib.Path, data: pathlib.Path) -> None:
    """Returns when a daemon has measured the machine, so that those with the same `data` need not do so."""
    with configured(camera, quality, binary, data) as (_, client, session):
        measured.await_measured(client, session, patience=20)


@contextlib.contextmanager
def configured(
    camera: FakeCamera,
    quality: int | None,
    binary: pathlib.Path,
    data: pathlib.Path,
    *,
    movie: configuration_pb2.MovieOutput | None = None,
) -> Iterator[tuple[MJPEGServer, client_library.Client, str]]:
    """The daemon of `firstlight_of`, the client that started its session, and the name of the session.

    The session has the output `movie`, if there is one.
    """
    flags = ("--synthetic", "0", "--http-listen", "127.0.0.1:0", "--data-dir", str(data))
    log = data / "log"
    with contextlib.ExitStack() as stack:
        with camera.loading():
            daemon = stack.enter_context(Daemon(binary, *flags, log=log))
        client = stack.enter_context(client_library.connect(daemon.address))
        (device,) = client.devices()
        session = client.create_session("bench").name
        wanted = client_library.configuration(
            device.name,
            pixel_format=camera.pixel_format,
            size=camera.size,
            frame_rate=camera.frame_rate,
            photo=False,
            movie=movie,
        )
        client.configure(session, wanted)
        client.start(session)
        path = "/stream.mjpg?session=bench" + ("" if quality is None else f"&quality={quality}")
        yield MJPEGServer(daemon.process.pid, http_port(log), path), client, session


def http_port(log: pathlib.Path) -> int:
    """The port at which a daemon with this log serves HTTP."""
    (port,) = re.findall(r"http at http://127\.0\.0\.1:(\d+)", log.read_text())
    return int(port)
