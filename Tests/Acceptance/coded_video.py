"""Coded video that can be told picture by picture, as cameras with an encoder of their own send it."""

from __future__ import annotations

import pathlib
import re
import subprocess

import numpy as np
from PIL import Image

#: The luma of the first picture of a clip, and how much brighter each next one is.
FIRST, STEP = 24, 6

_ENCODERS = {
    "H264": ("libx264", "-x264-params", "aud=1:scenecut=0:bframes=0:keyint={keys}:min-keyint={keys}", "-f", "h264"),
    "HEVC": (
        "libx265",
        "-x265-params",
        "aud=1:scenecut=0:bframes=0:keyint={keys}:min-keyint={keys}:log-level=error",
        "-f",
        "hevc",
    ),
}
#: The access unit delimiter, with which each picture begins (ITU-T H.264, 7.3.2.4; ITU-T H.265, 7.3.2.5).
_DELIMITERS = {"H264": re.compile(rb"\x00\x00\x00\x01\x09"), "HEVC": re.compile(rb"\x00\x00\x00\x01\x46\x01")}
#: The types of parameter sets.
_SETS = {"H264": (7, 8), "HEVC": (32, 33, 34)}


def clip(codec: str, size: tuple[int, int], count: int = 30, keys: int = 250) -> list[bytes]:
    """Pictures in annex B. Each is grey and brighter than the one before; every `keys`-th is a key frame."""
    luma = [
        bytes([FIRST + STEP * number]) * (size[0] * size[1]) + b"\x80" * (size[0] * size[1] // 2)
        for number in range(count)
    ]
    encoder = [part.format(keys=keys) for part in _ENCODERS[codec]]
    source = ("-f", "rawvideo", "-pix_fmt", "yuv420p", "-s", f"{size[0]}x{size[1]}", "-r", "30", "-i", "-")
    made = subprocess.run(
        ["ffmpeg", "-v", "error", *source, "-c:v", *encoder, "-"],
        input=b"".join(luma),
        capture_output=True,
        check=True,
        timeout=30,
    ).stdout
    starts = [match.start() for match in _DELIMITERS[codec].finditer(made)]
    assert len(starts) == count
    return [made[start:end] for start, end in zip(starts, [*starts[1:], None], strict=True)]


def units(codec: str, picture: bytes) -> list[bytes]:
    """The units of a picture without their start codes, and without the delimiter."""
    found = [unit.rstrip(b"\0") for unit in re.split(rb"\x00\x00\x01", picture)]
    return [unit for unit in found if unit and _kind(codec, unit) not in (9, 35)]


def without_sets(codec: str, picture: bytes) -> bytes:
    """The picture without its parameter sets, as many cameras send all key frames but the first one."""
    left = [unit for unit in units(codec, picture) if _kind(codec, unit) not in _SETS[codec]]
    return b"".join(b"\x00\x00\x00\x01" + unit for unit in left)


def is_key_frame(codec: str, picture: bytes) -> bool:
    """Whether a decoder can begin with the picture."""
    keys = (5,) if codec == "H264" else range(16, 24)
    return any(_kind(codec, unit) in keys for unit in units(codec, picture))


def number(picture: Image.Image, *, is_limited: bool = False) -> int:
    """The number in its clip of the picture that is shown. `is_limited` tells the range of the samples."""
    luma = np.asarray(picture.convert("L"), dtype=float).mean()
    # The clip has samples of limited range.
    found = ((luma if is_limited else luma * 219 / 255 + 16) - FIRST) / STEP
    assert abs(found - round(found)) < 0.35, f"the picture is between two of the clip: {found}"
    return round(found)


def pictures(path: pathlib.Path | str, size: tuple[int, int], *arguments: str) -> list[int]:
    """The numbers of all pictures of a movie, which FFmpeg decodes without a complaint."""
    done = subprocess.run(
        ["ffmpeg", "-v", "error", *arguments, "-i", path, "-vsync", "0", "-f", "rawvideo", "-pix_fmt", "gray", "-"],
        capture_output=True,
        timeout=60,
    )
    assert done.stderr == b"", done.stderr.decode()
    frames = np.frombuffer(done.stdout, np.uint8).reshape(-1, size[1], size[0])
    return [number(Image.fromarray(frame)) for frame in frames]


def coded_units(path: pathlib.Path, codec: str) -> list[bytes]:
    """The units of all pictures of a movie that carry samples, as they lie in it."""
    name = {"H264": "h264", "HEVC": "hevc"}[codec]
    done = subprocess.run(
        ["ffmpeg", "-v", "error", "-i", path, "-c", "copy", "-f", name, "-"], capture_output=True, timeout=60
    )
    assert done.stderr == b"", done.stderr.decode()
    return slices(codec, done.stdout)


def slices(codec: str, stream: bytes) -> list[bytes]:
    """The units that carry samples."""
    kinds = range(1, 6) if codec == "H264" else range(32)
    return [unit for unit in units(codec, stream) if _kind(codec, unit) in kinds]


def _kind(codec: str, unit: bytes) -> int:
    return unit[0] & 0x1F if codec == "H264" else unit[0] >> 1 & 0x3F
