"""Preloaded V4L2 cameras with oddities that people report of real ones, and a daemon that sees one of them."""

from __future__ import annotations

import contextlib
import http.client
import io
import json
import pathlib
import subprocess
from collections.abc import Callable

import numpy as np
from PIL import Image

import firstlight
from firstlight.daemon import Daemon
from http_rpc import HTTPEndpoint
from preloaded_cameras import PreloadedCameras

#: The name of the first preloaded camera.
DEVICE = "devices/uvcvideo-usb-fake-1"


def yuyv(size: tuple[int, int], luma: int = 120) -> bytes:
    """A grey picture."""
    return bytes([luma, 128]) * (size[0] * size[1])


def jpeg(size: tuple[int, int], luma: int = 120) -> bytes:
    """A picture that gets brighter to the right, so that its size can be seen, in 4:2:0."""
    file = io.BytesIO()
    ramp = np.tile(np.linspace(luma - 100, luma + 100, size[0]).astype(np.uint8), (size[1], 1))
    Image.fromarray(ramp).convert("RGB").save(file, "JPEG", quality=90, subsampling="4:2:0")
    return file.getvalue()


def probe(path: pathlib.Path) -> tuple[tuple[int, int], list[float]]:
    """The size of a movie and the times of its pictures, all of which FFmpeg decodes."""
    entries = ("-show_entries", "stream=width,height:packet=pts_time", "-select_streams", "v", "-of", "json")
    done = subprocess.run(["ffprobe", "-v", "error", *entries, path], capture_output=True, check=True, timeout=30)
    found = json.loads(done.stdout)
    # FFmpeg would otherwise round the times to the mean rate, and two pictures that came together would have one time.
    every = ("-vsync", "0", "-enc_time_base", "-1", "-f", "null", "-")
    decoded = subprocess.run(["ffmpeg", "-v", "error", "-i", path, *every], capture_output=True, timeout=30)
    assert (decoded.returncode, decoded.stderr) == (0, b""), decoded.stderr.decode()
    (stream,) = found["streams"]
    return (stream["width"], stream["height"]), [float(packet["pts_time"]) for packet in found["packets"]]


class OddCamera:
    """A preloaded camera, and a daemon that sees it alone."""

    def __init__(self, folder: pathlib.Path, start: Callable[..., Daemon], stack: contextlib.ExitStack) -> None:
        """Makes a camera without modes. `start` starts daemons whose files are in `folder`."""
        (folder / "cameras").mkdir()
        self.cameras = PreloadedCameras(folder / "cameras", 0)
        self._folder, self._start, self._stack = folder, start, stack

    def serve(
        self,
        pixel_format: str,
        size: tuple[int, int],
        rate: int,
        *pictures: bytes,
        sessions: str = "sessions: {}\n",
        **oddities: str | int,
    ) -> tuple[HTTPEndpoint, firstlight.Client, pathlib.Path]:
        """Starts a daemon when the camera has this mode and these oddities. Returns its HTTP endpoint, a client and the
        path of the log.
        """
        longest = max(map(len, pictures))
        self.cameras.add_mode(pixel_format, size, rate, [picture.ljust(longest, b"\0") for picture in pictures])
        for name, value in oddities.items():
            self.cameras.add_oddity(name, value)
        file, log = self._folder / "firstlight.yaml", self._folder / "firstlightd.log"
        file.write_text(sessions)
        with self.cameras.loading():
            self.daemon = self._start("--synthetic", "0", "--http-listen", "127.0.0.1:0", "--config", str(file))
        client = self._stack.enter_context(firstlight.connect(self.daemon.address, timeout=20))
        return HTTPEndpoint.of(log), client, log

    def change_source(self, size: tuple[int, int]) -> None:
        """Lets the source of the camera, which pauses, have another size, as another signal at a grabber has."""
        self.cameras.replace_modes("YUYV", size, 30, [yuyv(size)])
        self.cameras.resume()


def started(client: firstlight.Client, **features: object) -> str:
    """The name of a session with the camera that runs."""
    return client.create_session("odd", configuration=firstlight.configuration(DEVICE, **features), start=True).name


def asked(endpoint: HTTPEndpoint, query: str = "", timeout: float = 15) -> tuple[http.client.HTTPResponse, bytes]:
    """The answer for `/snapshot.jpg`."""
    with contextlib.closing(endpoint.connection(timeout)) as connection:
        connection.request("GET", f"/snapshot.jpg?{query}")
        response = connection.getresponse()
        return response, response.read()


def snapshot(endpoint: HTTPEndpoint, query: str = "", timeout: float = 15) -> Image.Image:
    """The picture of `/snapshot.jpg`, decoded."""
    response, body = asked(endpoint, query, timeout)
    assert response.status == 200, body
    picture = Image.open(io.BytesIO(body))
    picture.load()
    return picture
