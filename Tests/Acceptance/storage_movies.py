"""Recordings into a video storage, for the tests of its movies."""

from __future__ import annotations

import pytest

import firstlight
from captures import SMALL
from movies import kinds, read_movie
from storages import UNIT, Storage
from support import SYNTHETIC, Collector, wait_until


def with_units(storage: Storage, units: int) -> Storage:
    """The storage with so many units. Skips the test where the folder cannot hold one."""
    if not storage.state.supported:
        pytest.skip(storage.state.unsupported_reason)
    storage.set_capacity(units * UNIT)
    storage.idle()
    return storage


def movie_session(storage: Storage, features=SMALL, **options) -> str:
    """Makes a session that records into the storage, starts it and returns its name."""
    movie = firstlight.movie_output(uses_pro_video_storage=True, **options)
    wanted = firstlight.configuration(SYNTHETIC[0], movie=movie, **features)
    return storage.sdk.create_session(configuration=wanted, start=True).name


def begin(storage: Storage, session: str, **options) -> tuple[Collector, str]:
    """Starts a recording, and returns its events and its name once a fragment is in the storage."""
    events = Collector(storage.sdk.start_recording(session, **{"fragment_seconds": 0.2} | options))
    name = events.wait_for(lambda found: "started" in kinds(found))[0].recording.name
    wait_until(lambda: storage.sdk.recording(name).frame_count > 0)
    return events, name


def check_movie(recording, movies, **options):
    """Checks that the file has every frame that the recording tells."""
    movie = read_movie(movies / recording.file, **options)
    movie.check_times()
    assert len(movie.boards) == recording.frame_count > 0
    assert recording.recorded_file_size == (movies / recording.file).stat().st_size
    assert recording.playable
    assert drafts(movies) == []
    return movie


def drafts(movies):
    """The drafts of movies that have not moved completely."""
    return list(movies.rglob(".firstlight-*.part"))
