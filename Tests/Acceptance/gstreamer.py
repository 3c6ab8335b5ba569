"""Decodes movies and live video with GStreamer, whose demuxers are independent of FFmpeg's."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator

import numpy as np

from firstlight import timecode

#: The elements that find the H.264 in a container.
DEMUXERS = {"mp4": "qtdemux", "matroska": "matroskademux", "mpegts": "tsdemux"}


def boards(source: str, container: str, size: tuple[int, int], count: int | None = None) -> Iterator[timecode.Timecode]:
    """The boards of the H.264 pictures of a source, as GStreamer decodes them. Fails when a picture has no board.

    `source` is an element with its properties, for example `filesrc location=a.mp4`. With a `count`, the source is left
    after so many pictures.
    """
    shown = f"h264parse ! avdec_h264 ! videoconvert ! video/x-raw,format=GRAY8,width={size[0]},height={size[1]}"
    pipeline = f"{source} ! {DEMUXERS[container]} ! {shown} ! fdsink fd=1 sync=false"
    seen = 0
    with subprocess.Popen(["gst-launch-1.0", "--quiet", *pipeline.split()], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        while seen != count and (picture := process.stdout.read(size[0] * size[1])):
            board = timecode.decode(np.frombuffer(picture, np.uint8).reshape(size[1], size[0]))
            assert board is not None, f"picture {seen} has no board"
            seen += 1
            yield board
        if seen == count:
            process.terminate()
    assert seen == count or process.returncode == 0
