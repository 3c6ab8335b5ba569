"""Reads movies by FFmpeg: their packets, and the timecode boards of their pictures."""

from __future__ import annotations

import dataclasses
import itertools
import json
import pathlib
import struct
import subprocess
from collections.abc import Callable, Iterable

import numpy as np

import firstlight
from firstlight import timecode
from firstlight.v1 import recording_events_pb2, recording_pb2
from support import Collector


def lost(recording: recording_pb2.Recording) -> int:
    """How many frames a recording counts as dropped, as a busy machine may make it."""
    return sum(count for _, count in recording.dropped.ListFields())


@dataclasses.dataclass(frozen=True)
class Movie:
    """What FFmpeg finds in a file."""

    codec: str
    size: tuple[int, int]
    #: The times of the pictures in seconds, in the order in which they are shown.
    times: list[float]
    #: The boards of the pictures, in the same order.
    boards: list[timecode.Timecode]

    @property
    def sequences(self) -> list[int]:
        """The driver's numbers of the frames."""
        return [board.sequence for board in self.boards]

    def check_times(self, tick: float = 1e-3) -> None:
        """Checks that pictures are as far apart as their frames were captured, within one tick of the file."""
        first = self.boards[0].capture_time_ns
        for time, board in zip(self.times, self.boards, strict=True):
            assert abs((time - self.times[0]) - (board.capture_time_ns - first) / 1e9) <= tick

    def check_complete(self, recording: recording_pb2.Recording | None = None, among: int | None = None) -> None:
        """Checks that no frame comes twice, and that none is missing but those that `recording` counts as dropped. With
        `among`, looks at that many pictures from the start.
        """
        counted = lost(recording) if recording else 0
        steps = [after - before for before, after in itertools.pairwise(self.sequences[:among])]
        assert all(step > 0 for step in steps), self.sequences
        missing = sum(step - 1 for step in steps)
        assert missing <= counted, f"{missing} frames are missing, {counted} are counted: {self.sequences}"


def read_movie(
    path: pathlib.Path,
    *,
    is_whole: bool = True,
    scaled: tuple[int, int] | None = None,
    board: Callable[[np.ndarray], timecode.Timecode | None] = timecode.decode,
    edits: bool = True,
) -> Movie:
    """Decodes every picture of a movie. Fails when FFmpeg says anything about the file.

    The boards are read from pictures that are `scaled` to a size, so that those of a long movie fit into the memory.
    `board` reads the board of a picture, for pictures that show several.
    Without `edits`, FFmpeg ignores edit lists, as mpv and VLC do, and shows everything that the file holds.
    A file that is not whole may end within a picture. FFmpeg then complains, and that picture is left out.
    """
    entries = "stream=codec_name,width,height:packet=pts_time,flags"
    source = ("-i", str(path)) if edits else ("-ignore_editlist", "1", "-i", str(path))
    probe = _run(
        is_whole, "ffprobe", "-v", "error", *source, "-select_streams", "v", "-show_entries", entries, "-of", "json"
    )
    found = json.loads(probe)
    (stream,) = found["streams"]
    size = (stream["width"], stream["height"])
    # Every picture once, at its time: FFmpeg would otherwise round the times to the mean rate, which gaps make lower.
    as_they_are = ("-vsync", "0", "-enc_time_base", "-1")
    shown = scaled or size
    if scaled:
        as_they_are += ("-vf", f"scale={shown[0]}:{shown[1]}:flags=area")
    command = ("ffmpeg", "-v", "error", *source, "-f", "rawvideo", "-pix_fmt", "gray", *as_they_are, "-")
    grey = _run(is_whole, *command)
    pictures = np.frombuffer(grey, np.uint8).reshape(-1, shown[1], shown[0])
    boards = [board(picture) for picture in pictures]
    # FFmpeg marks by D what an edit list hides: it is only decoded.
    times = sorted(float(packet["pts_time"]) for packet in found["packets"] if "D" not in packet["flags"])
    if not is_whole and boards and boards[-1] is None:
        del boards[-1]
    assert all(boards), "a picture has no board"
    if not is_whole:
        del times[len(boards) :]
    assert len(times) == len(boards)
    return Movie(stream["codec_name"], size, times, [board for board in boards if board is not None])


def without_index(body: bytes) -> bytes:
    """The bytes of a file without the index that the daemon puts in front of its fragments."""
    if (place := body.find(b"sidx") - 4) < 0:
        return body
    return body[:place] + body[place + int.from_bytes(body[place : place + 4]) :]


def has_index_in_front(path: pathlib.Path) -> bool:
    """Whether a file in MP4 or QuickTime has one index before all samples, and no fragments."""
    boxes = []
    with path.open("rb") as file:
        while head := file.read(8):
            size, name = struct.unpack(">I4s", head)
            # A size of 1 means that the size follows in 64 bits.
            rest = struct.unpack(">Q", file.read(8))[0] - 16 if size == 1 else size - 8
            file.seek(rest, 1)
            boxes.append(name.decode())
    return "moof" not in boxes and boxes.index("moov") < boxes.index("mdat")


def _run(is_silent: bool, *command: str) -> bytes:
    done = subprocess.run(command, capture_output=True, check=True, timeout=60)
    assert not (is_silent and done.stderr), done.stderr.decode()
    return done.stdout


def recording_session(client: firstlight.Client, device: str, *, codec=None, quality=None, **features) -> str:
    """Makes a session with a movie output, starts it and returns its name."""
    movie = firstlight.movie_output(codec=codec, quality=quality)
    wanted = firstlight.configuration(device, movie=movie, **features)
    return client.create_session(configuration=wanted, start=True).name


def kinds(events: Iterable[recording_events_pb2.RecordingEvent]) -> list[str]:
    """What happened, in order."""
    return [event.WhichOneof("kind") for event in events]


def ended(events: Collector) -> list[recording_events_pb2.RecordingEvent]:
    """All events of a recording, whose stream must end with OK."""
    assert events.wait_for_end() is None
    return events.close()


def begin(client, session, file="", **options) -> tuple[Collector, str]:
    """Starts a recording, and returns its events and its name once it has its first frame."""
    events = Collector(client.start_recording(session, file, **options))
    return events, events.wait_for(lambda found: "started" in kinds(found))[0].recording.name


def see(client, session, frames: int) -> None:
    """Waits until the camera of the main preview has captured so many frames more."""
    with client.preview(session, max_size=(64, 36)) as preview:
        first = next(preview).sequence
        next(frame for frame in preview if frame.sequence >= first + frames)


def record(client, session, file="", *, frames=20, **options):
    """Records until at least `frames` frames are in the movie, and returns the events."""
    events = Collector(client.start_recording(session, file, **options))
    name = events.wait_for(lambda found: "started" in kinds(found))[0].recording.name
    first = None
    for frame in client.preview(session):
        first = frame.sequence if first is None else first
        if frame.sequence >= first + frames:
            break
    client.stop_recording(name)
    return ended(events)
