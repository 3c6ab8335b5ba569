"""Cameras without hardware, root or emulation: what preload.c needs to show them to a process."""

from __future__ import annotations

import contextlib
import os
import pathlib
import subprocess
from collections.abc import Iterator, Sequence

import numpy as np

_HERE = pathlib.Path(__file__).resolve().parent
_LIBRARY = _HERE.parents[2] / ".build/preloaded-cameras/cameras.so"

#: The number of the first node that preload.c shows.
_FIRST_NODE = 99
#: V4L2_QUANTIZATION_FULL_RANGE.
_FULL_RANGE = 1


class PreloadedCameras:
    """Cameras for processes that start within `loading`, or with `environment`. All have the same modes."""

    def __init__(self, folder: pathlib.Path, *places: float) -> None:
        """Makes as many cameras as there are places. A place is the part of a period by which the frames of a camera
        come after the beginning of the period. `folder` is empty, and exists as long as such a process runs.
        """
        subprocess.run([_HERE / "build"], check=True)
        self._folder = folder
        #: The nodes of the cameras, as such a process names them.
        self.nodes = [f"/dev/video{_FIRST_NODE + number}" for number in range(len(places))]
        #: The environment variables that show the cameras to a process.
        self.environment = {"LD_PRELOAD": str(_LIBRARY), "PRELOADED_CAMERAS": str(folder)}
        for number, place in enumerate(places):
            self.file(number).write_text(str(int(1000 * place)))

    def file(self, number: int) -> pathlib.Path:
        """The file that stands for a node. The process that has the camera's buffers has locked it (see flock)."""
        return self._folder / pathlib.Path(self.nodes[number]).name

    def add_mode(
        self,
        pixel_format: str,
        size: tuple[int, int],
        frame_rate: int,
        pictures: Sequence[bytes],
        *,
        full_range: bool = False,
    ) -> None:
        """Adds a mode. The first one is that of a camera that no program has set.

        `pictures` are those of this format and size, for all of its frame rates. Each has the same number of bytes.
        `full_range` is what the driver tells of the samples.
        """
        line = self._write(pixel_format, size, frame_rate, pictures, _FULL_RANGE if full_range else 0)
        with (self._folder / "modes").open("a") as file:
            file.write(line)

    def replace_modes(
        self, pixel_format: str, size: tuple[int, int], frame_rate: int, pictures: Sequence[bytes]
    ) -> None:
        """Puts one mode in the place of all, as the other source of a grabber does. It holds for a camera as soon as no
        program has its buffers.
        """
        made = self._folder / "next"
        made.write_text(self._write(pixel_format, size, frame_rate, pictures, 0))
        # The processes find modes at any time.
        made.rename(self._folder / "modes")

    def _write(
        self, pixel_format: str, size: tuple[int, int], frame_rate: int, pictures: Sequence[bytes], quantization: int
    ) -> str:
        """Writes the pictures of a mode, and returns the line of the mode."""
        (self._folder / f"{pixel_format:4}-{size[0]}x{size[1]}").write_bytes(b"".join(pictures))
        return f"{pixel_format} {size[0]} {size[1]} {frame_rate} {len(pictures[0])} {quantization}\n"

    def pause(self) -> None:
        """Lets the cameras fill no buffers until `resume`."""
        (self._folder / "paused").touch()

    def resume(self) -> None:
        """Lets the cameras fill buffers again."""
        (self._folder / "paused").unlink()

    def draw_numbers(self, glyphs: Sequence[bytes]) -> None:
        """Lets the cameras draw the number of each frame into its picture, with these glyphs of the ten digits."""
        (self._folder / "digits").write_bytes(b"".join(glyphs))

    def add_oddity(self, name: str, value: str | int) -> None:
        """Lets the cameras do something otherwise than good ones; preload.c says what there is."""
        with (self._folder / "oddities").open("a") as file:
            file.write(f"{name} {value}\n")

    def set_signal(self, signal: tuple[int, int] | str) -> None:
        """Lets a source send pictures of this size to the input of the cameras, or the name of an errno for a signal
        that they cannot capture. Only cameras that had a signal before a process found them have such an input.
        """
        made = self._folder / "next"
        made.write_text(signal if isinstance(signal, str) else f"{signal[0]} {signal[1]}")
        made.rename(self._folder / "signal")

    @contextlib.contextmanager
    def loading(self) -> Iterator[None]:
        """Shows the cameras to processes that start in this block."""
        os.environ.update(self.environment)
        try:
            yield
        finally:
            for name in self.environment:
                del os.environ[name]


def yuyv(planes: np.ndarray) -> bytes:
    """A picture in Y, Cb and Cr as YUYV, with the chroma of every other pixel."""
    pixels = planes[..., :2].copy()
    pixels[:, 1::2, 1] = planes[:, 0::2, 2]
    return pixels.tobytes()
