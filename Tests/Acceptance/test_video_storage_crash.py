"""The daemon is killed while it records into the video storage, and while a movie moves to its place. What it told a
client is there after the next start, and the storage is whole.
"""

from __future__ import annotations

import itertools
import os
import random
import threading
import time

import grpc
import pytest

import firstlight
from captures import SMALL
from firstlight import MovieCodec, MovieContainer
from firstlight.v1 import recording_pb2
from movies import read_movie
from storages import UNIT, Storage
from support import SYNTHETIC

Recording = recording_pb2.Recording
Cause = recording_pb2.RecordingEnd
INDEXED = [MovieContainer.MP4, MovieContainer.MOV]

#: How often the long test kills the daemon in each phase.
CRASHES = int(os.environ.get("FIRSTLIGHT_CRASHES", "100"))

#: The outputs, the containers that hold their codecs, and the features of the camera. Pictures without loss give a move
#: something to copy.
KINDS = [
    ({}, [*INDEXED, MovieContainer.MATROSKA, MovieContainer.MPEG_TS], SMALL),
    ({"codec": MovieCodec.FFV1}, [MovieContainer.MATROSKA], {**SMALL, "size": (1280, 720), "frame_rate": 15}),
    ({"codec": MovieCodec.PRO_RES}, [MovieContainer.MOV, MovieContainer.MATROSKA], SMALL),
]


class Told:
    """What the daemon told of its recordings until it was killed."""

    def __init__(self) -> None:
        self.finished: dict[str, Recording] = {}
        #: The most frames that play, by the name of each recording that has not finished.
        self.frames: dict[str, int] = {}


def record_until_killed(storage: Storage, phase: str, dice: random.Random, told: Told) -> None:
    """Records until the daemon does not answer any more, which is soon."""
    options, containers, features = dice.choice(KINDS)
    movie = firstlight.movie_output(uses_pro_video_storage=True, **options)
    wanted = firstlight.configuration(SYNTHETIC[0], movie=movie, **features)
    client = storage.sdk
    session = client.create_session(configuration=wanted, start=True).name
    kill = threading.Timer(dice.uniform(0, 1.2), storage.daemon.process.kill)
    if phase == "recording":
        kill.start()
    events = client.start_recording(
        session, container=dice.choice(containers), fragment_seconds=dice.choice([0.1, 0.2, 0.5])
    )
    name = next(events).recording.name
    told.frames[name] = 0
    until = time.monotonic() + dice.uniform(0.2, 1.2)
    while phase == "recording" or time.monotonic() < until:
        told.frames[name] = client.recording(name).frame_count
    kill = threading.Timer(dice.uniform(0, 0.15), storage.daemon.process.kill)
    kill.start()
    told.finished[name] = client.stop_recording(name)
    while True:
        client.recording(name)


def check(storage: Storage, movies, told: Told) -> list[str]:
    """Checks that nothing is missing that the daemon told, and that nothing else is left. Returns how the recordings
    ended.
    """
    # A movie that the last daemon left moves while this one serves already.
    state = storage.idle()
    assert not state.HasField("error")
    recordings = {recording.name: recording for recording in storage.sdk.recordings()}
    assert {*told.finished, *told.frames} <= set(recordings)
    for name, recording in recordings.items():
        assert recording.state == Recording.STATE_FINISHED
        if name in told.finished:
            assert recording == told.finished[name]
        assert recording.frame_count >= told.frames.get(name, 0)
        assert recording.playable == (recording.frame_count > 0)
        if recording.playable:
            # The storage has whole fragments only, so no file ends within a picture.
            movie = read_movie(movies / recording.file, is_whole=recording.end.cause == Cause.CAUSE_STOPPED)
            assert movie.sequences == sorted(set(movie.sequences))
            assert 0 <= recording.frame_count - len(movie.boards) <= (recording.end.cause != Cause.CAUSE_STOPPED)
    assert list(movies.rglob(".firstlight-*.part")) == []
    storage.check_disk(state)
    return [Cause.Cause.Name(recordings[name].end.cause) for name in told.frames]


@pytest.mark.parametrize(
    "crashes",
    [
        pytest.param(3, id="3", marks=pytest.mark.timeout(120)),
        pytest.param(CRASHES, id="many", marks=[pytest.mark.slow, pytest.mark.timeout(60 + 20 * CRASHES)]),
    ],
)
@pytest.mark.parametrize("phase", ["recording", "moving"])
def test_a_killed_daemon_keeps_what_it_acknowledged(start_storage, tmp_path, phase, crashes):
    dice = random.Random(f"{phase} {crashes}")
    outcomes: list[str] = []
    for turn in itertools.count():
        movies = tmp_path / f"movies-{turn}"
        storage = start_storage("--recordings-dir", str(movies))
        if not storage.state.supported:
            pytest.skip(storage.state.unsupported_reason)
        if turn == 0:
            storage.set_capacity(4 * UNIT)
        elif turn == crashes:
            break
        elif storage.state.remaining_capacity < 2 * UNIT:
            storage.replenish()
        storage.idle()
        told = Told()
        with pytest.raises(firstlight.FirstlightError) as raised:
            record_until_killed(storage, phase, dice, told)
        assert raised.value.code is grpc.StatusCode.UNAVAILABLE, raised.value
        storage.daemon.process.wait(timeout=20)
        storage = start_storage("--recordings-dir", str(movies))
        outcomes += check(storage, movies, told)
        assert storage.daemon.stop() == 0
    print(
        f"{phase}: {crashes} kills, and the ends of the recordings: { {end: outcomes.count(end) for end in outcomes} }"
    )
