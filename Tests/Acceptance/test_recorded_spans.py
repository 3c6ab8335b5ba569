"""The spans of a continuous recording, and the movies that are made of them."""

from __future__ import annotations

import contextlib
import itertools
import os

import numpy as np
import pytest

import firstlight
from captures import SMALL
from continuous import SESSION, Recorder, finished, lost
from faults import REPLUG, UNPLUG, inject
from firstlight import timecode
from footage import SECOND, Footage
from movies import read_movie
from support import SYNTHETIC, wait_until

# Each segment takes a second, and FFmpeg reads them all.
pytestmark = pytest.mark.timeout(60)

#: The number of random spans of which movies are made.
SPANS = int(os.environ.get("FIRSTLIGHT_SPANS", "20"))


@pytest.fixture
def recorder(own_daemon, tmp_path):
    with contextlib.closing(Recorder(own_daemon, tmp_path)) as made:
        yield made


@pytest.mark.timeout(120 + 2 * SPANS)
def test_random_spans_across_segments_a_stop_and_a_new_plug(recorder, tmp_path):
    recorder.start()
    count = 0

    def go_on() -> None:
        """Waits until some more segments have finished, the first of which is whole."""
        nonlocal count
        count = len(recorder.wait_for_finished(count + 3))

    go_on()
    count = len(recorder.stop())
    recorder.client.start(SESSION)
    go_on()
    inject(recorder.client, UNPLUG)
    count = len(recorder.wait(lambda found: len(finished(found)) == len(found)))
    inject(recorder.client, REPLUG)
    go_on()
    footage = Footage(recorder.stop(), recorder.folder)
    spans = list(recorder.client.recording_spans(SESSION))
    names = [each.name for each in footage.recordings]
    assert [name for span in spans for name in span.recording_names] == names
    assert lost(footage.recordings) or len(spans) == 3
    for number, (start, duration) in enumerate(footage.random_spans(31, SPANS)):
        path = tmp_path / f"{number}.mp4"
        recorder.client.export_recording(SESSION, start, duration / SECOND, path)
        footage.check(read_movie(path), start, duration)
        path.unlink()
    # The spans are known after a start of the daemon, too.
    recorder.kill()
    recorder.start()
    known = [name for span in recorder.client.recording_spans(SESSION) for name in span.recording_names]
    assert known[: len(names)] == names


def either_way_up(picture: np.ndarray) -> timecode.Timecode | None:
    """The board of a picture, which may be upside down."""
    return timecode.decode(picture) or timecode.decode(picture[::-1, ::-1])


def test_fault_F3_spans_of_commits_can_be_exported(recorder, tmp_path):
    """Each commit changes what a file tells once, or swaps the camera: the frames after it are another span."""
    recorder.start()
    client = recorder.client
    client.delete_session(recorder.other)

    def go_on() -> None:
        """Records for more than a segment."""
        with client.preview(SESSION, pixel_format="NV12") as frames:
            list(itertools.islice(frames, 40))

    go_on()
    changes = [
        {"movie": firstlight.movie_output(quality=30)},
        {"movie": firstlight.movie_output(bit_rate=200_000)},
        {"connections": [firstlight.connection("movie", rotated=180), firstlight.connection("preview")]},
        {"device": SYNTHETIC[1]},
    ]
    wanted = {"device": SYNTHETIC[0], "photo": False, "movie": firstlight.movie_output(), **SMALL}
    for change in changes:
        wanted |= change
        client.configure(SESSION, firstlight.configuration(**wanted))
        go_on()
    client.stop(SESSION)
    wait_until(lambda: len(finished(recorder.segments())) == len(recorder.segments()))
    footage = Footage(recorder.segments(), recorder.folder, board=either_way_up)
    for segment, movie in zip(footage.recordings, footage.movies, strict=True):
        assert {f"devices/synthetic-{board.camera}" for board in movie.boards} == {segment.device}
    spans = list(client.recording_spans(SESSION))
    assert len(spans) >= 1 + len(changes)
    assert {name for span in spans for name in span.recording_names} == {each.name for each in footage.recordings}
    for number, span in enumerate(spans):
        start = span.start_time.ToNanoseconds()
        duration = span.end_time.ToNanoseconds() - start
        path = tmp_path / f"{number}.mp4"
        client.export_recording(SESSION, start, duration / SECOND, path)
        movie = read_movie(path, board=either_way_up)
        footage.check(movie, start - SECOND // 90, duration, span.recording_names)
        assert {f"devices/synthetic-{board.camera}" for board in movie.boards} == {span.device}
