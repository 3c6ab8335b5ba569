"""Sound in movies of spans of time: it belongs to the pictures beside it, also over several recordings."""

from __future__ import annotations

import pathlib

import pytest

import firstlight
from captures import SMALL
from firstlight import AudioCodec, MovieContainer
from firstlight.v1 import recording_pb2
from footage import SECOND, Footage
from movies import ended, has_index_in_front, kinds, read_movie, record
from sound import offsets, placed_samples, samples, ticks, tracks
from sound_sessions import MICROPHONES, when_running
from support import SYNTHETIC, Collector, wait_until

pytestmark = pytest.mark.timeout(120)

#: Below this, sound counts as in step, in seconds: a tenth of a frame.
IN_STEP = 0.0034

#: A session that records continuously, with sound, in segments of a second.
CONTINUOUS = """
sessions:
  door:
    inputs:
      - device: devices/synthetic-0
        format: {pixel_format: NV12, width: 320, height: 180}
        frame_rate_override: {numerator: 30, denominator: 1}
      - device: devices/synthetic-microphone-0
    preview: {}
    record: {segment-duration: 1, fragment-interval: 0.25}
"""


@pytest.fixture
def client(own_daemon, tmp_path):
    """A client of a daemon with two microphones."""
    daemon = own_daemon("--synthetic-microphones", "2", "--recordings-dir", str(tmp_path / "movies"))
    with firstlight.connect(daemon.address, timeout=20) as client:
        yield client


def session_with(client: firstlight.Client, *microphones, **movie) -> str:
    inputs = [firstlight.microphone(microphone) for microphone in microphones]
    for number, microphone in enumerate(inputs):
        microphone.id = f"m{number}"
    wanted = firstlight.configuration(SYNTHETIC[0], movie=firstlight.movie_output(**movie), microphones=inputs, **SMALL)
    session = client.create_session(configuration=wanted, start=True).name
    if inputs:
        when_running(client, session, inputs=[each.id for each in inputs])
    return session


def check(path: pathlib.Path, movie, track: int = 0, *, least: int) -> None:
    """Checks that nearly all ticks are in step. One that a seam or a gap cuts may be read wrongly."""
    found = offsets(path, movie, track, reader=placed_samples)
    assert len(found) >= least, found
    late = [offset for offset in found if abs(offset) >= IN_STEP]
    assert len(late) <= 1, found


@pytest.mark.parametrize(
    ("options", "suffix", "name"),
    [
        ({}, "mp4", "aac"),
        ({"audio_codec": AudioCodec.OPUS}, "mp4", "opus"),
        ({"audio_codec": AudioCodec.PCM}, "mov", "pcm_s16le"),
    ],
)
def test_a_span_has_its_sound(client, tmp_path, options, suffix, name):
    session = session_with(client, *MICROPHONES, **options)
    container = MovieContainer.MOV if suffix == "mov" else None
    footage = Footage([record(client, session, frames=90, container=container)[-1].recording], tmp_path / "movies")
    # Not at a key frame.
    start, stop = footage.frames[20][0] - SECOND // 60, footage.frames[75][0] + SECOND // 60
    path = tmp_path / f"span.{suffix}"
    client.export_recording(session, start, (stop - start) / SECOND, path)
    movie = read_movie(path)
    footage.check(movie, start, stop - start)
    assert has_index_in_front(path)
    assert [track["codec_name"] for track in tracks(path)] == [name, name]
    for track in (0, 1):
        check(path, movie, track, least=14)
        assert {tick.microphone for _, tick in ticks(path, track)} == {track}
        first, sound, rate = placed_samples(path, track)
        assert first == pytest.approx(movie.times[0], abs=0.05)
        assert first + len(sound) / rate == pytest.approx(movie.times[-1], abs=0.1)


def test_a_span_of_recordings_with_gaps_has_the_sound_of_each(client, tmp_path):
    session = session_with(client, MICROPHONES[0])
    recordings = [record(client, session, frames=45, fragment_seconds=0.3)[-1].recording for _ in range(3)]
    client.delete_recording(recordings.pop(1).name)
    footage = Footage(recordings, tmp_path / "movies")
    path = tmp_path / "span.mp4"
    client.export_recording(session, recordings[0].start_time.ToNanoseconds(), 600, path)
    movie = read_movie(path)
    assert movie.boards == [board for _, board in footage.frames]
    check(path, movie, least=24)


def test_a_recording_without_sound_leaves_a_gap(client, tmp_path):
    session = session_with(client)
    silent = record(client, session, frames=20)[-1].recording
    inputs = [firstlight.microphone(MICROPHONES[0])]
    client.configure(
        session, firstlight.configuration(SYNTHETIC[0], movie=firstlight.movie_output(), microphones=inputs, **SMALL)
    )
    when_running(client, session)
    record(client, session, frames=45)
    path = tmp_path / "span.mp4"
    client.export_recording(session, silent.start_time.ToNanoseconds(), 600, path)
    movie = read_movie(path)
    check(path, movie, least=12)
    assert placed_samples(path)[0] > 0.5


def test_the_sound_of_segments_has_no_seam(own_daemon, tmp_path):
    (tmp_path / "firstlightd.yaml").write_text(CONTINUOUS)
    flags = ("--synthetic-microphones", "1", "--recordings-dir", str(tmp_path / "movies"))
    daemon = own_daemon(*flags, "--config", str(tmp_path / "firstlightd.yaml"))
    with firstlight.connect(daemon.address, timeout=20) as client:
        finished = recording_pb2.Recording.STATE_FINISHED

        def segments() -> list[recording_pb2.Recording]:
            found = [each for each in client.recordings("sessions/door") if each.state == finished]
            return sorted(found, key=lambda each: each.start_time.ToNanoseconds())

        wait_until(lambda: len(segments()) >= 8, seconds=40)
        client.stop("sessions/door")
        # The first segment begins before the microphone.
        recorded = segments()[1:]
        start = recorded[0].start_time.ToNanoseconds() + SECOND // 3
        path = tmp_path / "span.mp4"
        client.export_recording("sessions/door", start, len(recorded) - 0.7, path)
        movie = read_movie(path)
        found = offsets(path, movie, reader=placed_samples)
        assert len(found) >= 10 * (len(recorded) - 2)
        # A coder of sound begins anew with each segment, which may spoil the tick at the seam.
        assert sum(abs(offset) >= IN_STEP for offset in found) <= len(recorded), found
        # A player that looks at no times is never off by a frame either.
        blind = offsets(path, movie, reader=samples)
        assert max(abs(offset) for offset in blind[-8:]) < 1 / 30


def test_a_copy_for_network_use_gives_the_same_bytes(client, tmp_path):
    """The samples lie in another order in the file that a recording gets when it finishes."""
    session = session_with(client, MICROPHONES[0])
    events = Collector(client.start_recording(session, fragment_seconds=0.5, optimize_for_network_use=True))
    recording = events.wait_for(lambda found: "started" in kinds(found))[0].recording
    first = None
    for frame in client.preview(session):
        first = frame.sequence if first is None else first
        if frame.sequence >= first + 75:
            break
    start = client.recording(recording.name).start_time.ToNanoseconds() + SECOND // 2
    paths = [tmp_path / name for name in ("before.mp4", "after.mp4")]
    client.export_recording(session, start, 1, paths[0])
    client.stop_recording(recording.name)
    assert ended(events)[-1].recording.is_optimized_for_network_use
    client.export_recording(session, start, 1, paths[1])
    assert paths[0].read_bytes() == paths[1].read_bytes()
    check(paths[0], read_movie(paths[0]), least=8)
