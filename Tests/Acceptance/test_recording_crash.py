"""The daemon is killed while it records, again and again. What it told a client is still there after the next start."""

from __future__ import annotations

import contextlib
import dataclasses
import pathlib
import random
import threading
import time

import pytest

import firstlight
from captures import SMALL
from firstlight import MovieContainer
from firstlight.v1 import recording_pb2
from movies import read_movie, recording_session
from support import SYNTHETIC

State = recording_pb2.Recording
Cause = recording_pb2.RecordingEnd
CONTAINERS = [MovieContainer.MP4, MovieContainer.MOV, MovieContainer.MATROSKA, MovieContainer.MPEG_TS]


@dataclasses.dataclass
class Told:
    """What the daemon told of its recordings until it was killed."""

    finished: dict[str, recording_pb2.Recording] = dataclasses.field(default_factory=dict)
    #: The most frames that play, by the name of each recording that has not finished.
    frames: dict[str, int] = dataclasses.field(default_factory=dict)


def record_until_killed(client: firstlight.Client, dice: random.Random, told: Told) -> None:
    """Starts, pauses, resumes, stops and asks for recordings until the daemon does not answer any more."""
    session = recording_session(client, SYNTHETIC[0], **SMALL)
    while True:
        events = client.start_recording(
            session, container=dice.choice(CONTAINERS), fragment_seconds=dice.choice([0.1, 0.2, 0.5])
        )
        name = next(events).recording.name
        told.frames[name] = 0
        for _ in range(dice.randrange(1, 8)):
            time.sleep(dice.uniform(0, 0.1))
            match dice.randrange(4):
                case 0:
                    client.pause_recording(name)
                case 1:
                    client.resume_recording(name)
                case _:
                    told.frames[name] = client.recording(name).frame_count
        finished = client.stop_recording(name)
        told.finished[name] = finished
        del told.frames[name]


def check(client: firstlight.Client, folder: pathlib.Path, told: Told) -> None:
    """Checks that nothing is missing that the daemon told, and that every file plays."""
    recordings = {recording.name: recording for recording in client.recordings()}
    assert {*told.finished, *told.frames} <= set(recordings)
    for name, recording in recordings.items():
        assert recording.state == State.STATE_FINISHED
        path = folder / recording.file
        if name in told.finished:
            assert recording == told.finished[name]
        elif name in told.frames:
            assert recording.frame_count >= told.frames[name]
        if not recording.playable:
            assert recording.frame_count == 0
            continue
        # Only MP4 and QuickTime are cut after their last whole fragment.
        is_whole = name in told.finished or recording.container in (MovieContainer.MP4, MovieContainer.MOV)
        movie = read_movie(path, is_whole=is_whole)
        assert 0 <= recording.frame_count - len(movie.boards) <= (not is_whole)
        assert movie.sequences == sorted(set(movie.sequences))


def crash(own_daemon, folder: pathlib.Path, dice: random.Random, told: Told) -> None:
    """Runs a daemon that records, and kills it after a random time."""
    daemon = own_daemon("--recordings-dir", str(folder))
    death = time.monotonic() + dice.uniform(0.2, 2)
    with (
        firstlight.connect(daemon.address, timeout=20) as client,
        contextlib.suppress(firstlight.FirstlightError),
        killing(daemon, death),
    ):
        record_until_killed(client, dice, told)
    daemon.process.wait(timeout=20)


@contextlib.contextmanager
def killing(daemon, death: float):
    """Kills the daemon at the time `death`, while the block runs."""
    timer = threading.Timer(death - time.monotonic(), daemon.process.kill)
    timer.start()
    try:
        yield
    finally:
        timer.join()


@pytest.mark.parametrize(
    "crashes",
    [
        pytest.param(5, id="5", marks=pytest.mark.timeout(120)),
        pytest.param(300, id="300", marks=[pytest.mark.slow, pytest.mark.timeout(3600)]),
    ],
)
def test_a_killed_daemon_keeps_what_it_told(own_daemon, tmp_path, crashes):
    dice = random.Random(crashes)
    for turn in range(crashes):
        folder = tmp_path / f"movies-{turn}"
        told = Told()
        crash(own_daemon, folder, dice, told)
        daemon = own_daemon("--recordings-dir", str(folder))
        with firstlight.connect(daemon.address, timeout=20) as client:
            check(client, folder, told)
        daemon.process.terminate()
        daemon.process.wait(timeout=20)
