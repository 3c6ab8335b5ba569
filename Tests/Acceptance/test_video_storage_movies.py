"""Movies in the video storage: who may use it, and where they are before and after their end."""

from __future__ import annotations

import time

import pytest

import drawn
import firstlight
from captures import FULL, SMALL
from conftest import BINARY
from firstlight import MovieCodec, MovieContainer
from firstlight.v1 import asset_writer_pb2 as writer_pb2, recording_pb2
from movies import ended, has_index_in_front, kinds, read_movie, record
from sound import offsets, tracks
from storage_movies import begin, check_movie, drafts, movie_session
from storages import UNIT, Reason
from support import SYNTHETIC, Collector, refused, refused_start, wait_until

# Units are written through, and other tests use the disk too.
pytestmark = pytest.mark.timeout(60)

Cause = recording_pb2.RecordingEnd


def test_G8_movies_grow_in_their_files_unless_a_client_says_otherwise(storage, movies):
    name = storage.sdk.create_session().name
    session = storage.sdk.configure(
        name, firstlight.configuration(SYNTHETIC[0], movie=firstlight.movie_output(), **SMALL)
    )
    assert not session.resolved_configuration.movie.uses_pro_video_storage
    movie = firstlight.movie_output(uses_pro_video_storage=True)
    session = storage.sdk.configure(name, firstlight.configuration(SYNTHETIC[0], movie=movie, **SMALL))
    assert session.resolved_configuration.movie.uses_pro_video_storage


def test_G8_a_storage_that_is_not_supported_cannot_be_used(start_movie_storage):
    storage = start_movie_storage(folder="/dev/shm/firstlight")
    movie = firstlight.movie_output(uses_pro_video_storage=True)
    wanted = firstlight.configuration(SYNTHETIC[0], movie=movie, **SMALL)
    name = storage.sdk.create_session().name
    etag = storage.sdk.session(name).etag
    for call in (
        lambda: storage.sdk.create_session(configuration=wanted),
        lambda: storage.sdk.configure(name, wanted),
        lambda: storage.sdk.check(name, wanted),
    ):
        with refused("FAILED_PRECONDITION", "VIDEO_STORAGE_NOT_SUPPORTED") as refusal:
            call()
        assert str(refusal.error.message) == storage.state.unsupported_reason
    assert storage.sdk.session(name).etag == etag


DOOR = """
video-storage-dir: {folder}
sessions:
  door:
    inputs: [{{device: devices/synthetic-0}}]
    movie: {{uses_pro_video_storage: true}}
"""


def test_G8_a_writer_needs_a_storage_that_is_supported_and_is_not_changed_later(start_movie_storage, storage):
    other = start_movie_storage(folder="/dev/shm/firstlight")
    with refused("FAILED_PRECONDITION", "VIDEO_STORAGE_NOT_SUPPORTED") as refusal:
        other.sdk.asset_writer(drawn.SIZE, uses_pro_video_storage=True)
    assert str(refusal.error.message) == other.state.unsupported_reason
    writer = storage.sdk.asset_writer(drawn.SIZE)
    assert not writer.state.writer_configuration.uses_pro_video_storage
    writer.configure(firstlight.writer_configuration(drawn.SIZE, uses_pro_video_storage=True))
    assert writer.state.writer_configuration.uses_pro_video_storage
    writer.start()
    with refused("FAILED_PRECONDITION", "WRITER_STARTED"):
        writer.configure(firstlight.writer_configuration(drawn.SIZE))
    busy = storage.sdk.asset_writer(drawn.SIZE, uses_pro_video_storage=True)
    with refused("UNAVAILABLE", "VIDEO_STORAGE_BUSY"):
        busy.start()
    assert busy.refresh().state == writer_pb2.AssetWriter.STATE_FAILED
    writer.cancel()
    assert not storage.state.busy
    assert list(storage.sdk.recordings()) == []


def test_G14_the_movie_of_a_writer_is_at_its_place_when_it_is_finished_and_not_before(storage, movies):
    writer = storage.sdk.asset_writer(drawn.SIZE, "mine", fragment_seconds=0.2, uses_pro_video_storage=True)
    with writer:
        for number in range(40):
            writer.append(drawn.nv12(number), number * drawn.PERIOD)
        writer.flush()
        wait_until(lambda: writer.refresh().writer_inputs[0].acknowledged_sample_count > 0)
        assert not (movies / "mine.mp4").exists()
        assert storage.state.remaining_capacity < 2 * UNIT
    assert read_movie(movies / "mine.mp4").sequences == list(range(40))
    check_movie(storage.sdk.recording(writer.recording), movies)


def test_G8_a_configuration_file_cannot_ask_for_what_there_is_not(tmp_path):
    file = tmp_path / "firstlight.yaml"
    file.write_text(DOOR.format(folder="/dev/shm/firstlight"))
    assert "sessions.door.movie.uses_pro_video_storage" in refused_start(BINARY, file)


def test_G8_a_session_that_records_continuously_cannot_use_the_storage(start_movie_storage, tmp_path):
    file = tmp_path / "firstlight.yaml"
    file.write_text(DOOR.format(folder=tmp_path).replace("uses_pro_video_storage: true", "") + "    record: {}\n")
    storage = start_movie_storage("--config", str(file))
    wanted = storage.sdk.session("sessions/door").configuration
    wanted.movie.uses_pro_video_storage = True
    if not storage.state.supported:
        pytest.skip(storage.state.unsupported_reason)
    with refused("FAILED_PRECONDITION", "NOT_SUPPORTED_IN_CONFIGURATION"):
        storage.sdk.configure("sessions/door", wanted)


def test_G12_a_recording_needs_a_storage_with_a_capacity_that_is_not_busy(start_movie_storage, movies):
    storage = start_movie_storage()
    if not storage.state.supported:
        pytest.skip(storage.state.unsupported_reason)
    session = movie_session(storage)
    with refused("FAILED_PRECONDITION", "VIDEO_STORAGE_NOT_CONFIGURED"):
        next(storage.sdk.start_recording(session))
    storage.set_capacity(8 * UNIT)
    with refused("UNAVAILABLE", "VIDEO_STORAGE_BUSY") as refusal:
        next(storage.sdk.start_recording(session))
    assert refusal.error.metadata["busy_reasons"] == "ADJUSTING_CAPACITY"
    storage.idle()
    events, name = begin(storage, session)
    movie = firstlight.movie_output(uses_pro_video_storage=True)
    wanted = firstlight.configuration(SYNTHETIC[1], movie=movie, **SMALL)
    other = storage.sdk.create_session(configuration=wanted, start=True).name
    with refused("UNAVAILABLE", "VIDEO_STORAGE_BUSY") as refusal:
        next(storage.sdk.start_recording(other))
    assert refusal.error.metadata["busy_reasons"] == "CAPTURING"
    with refused("UNAVAILABLE", "VIDEO_STORAGE_BUSY"):
        storage.replenish()
    storage.sdk.stop_recording(name)
    finished = ended(events)[-1].recording
    check_movie(finished, movies).check_complete(finished)
    assert [each.name for each in storage.sdk.recordings()] == [name]


@pytest.mark.parametrize(
    ("codec", "container"),
    [
        (MovieCodec.H264, MovieContainer.MP4),
        (MovieCodec.H264, MovieContainer.MPEG_TS),
        (MovieCodec.PRO_RES, MovieContainer.MOV),
        (MovieCodec.FFV1, MovieContainer.MATROSKA),
    ],
)
def test_G14_a_movie_is_at_its_place_when_it_is_finished_and_not_before(storage, movies, tmp_path, codec, container):
    states = Collector(storage.sdk.watch_video_storage())
    session = movie_session(storage, codec=codec)
    events, name = begin(storage, session, container=container)
    states.wait_for(lambda found: len({state.remaining_capacity for state in found}) >= 4)
    recording = storage.sdk.recording(name)
    assert recording.recorded_file_size > 0
    assert not recording.playable
    assert not (movies / recording.file).exists()
    with refused("FAILED_PRECONDITION", "RECORDING_IN_PROGRESS"):
        storage.sdk.download_recording(name, tmp_path / "copy")
    with refused("FAILED_PRECONDITION", "RECORDING_IN_PROGRESS"):
        storage.sdk.export_recording(session, recording.start_time.ToNanoseconds(), 10, tmp_path / "span")
    storage.sdk.stop_recording(name)
    told = ended(events)
    assert kinds(told) == ["accepted", "started", "will_finish", "finished"]
    assert told[-1].recording.end.cause == Cause.CAUSE_STOPPED
    finished = told[-1].recording
    check_movie(finished, movies).check_complete(finished)
    after = storage.state
    assert not after.busy
    assert not after.HasField("error")
    seen = [state for state in states.close() if list(state.busy_reasons) == [Reason.BUSY_REASON_CAPTURING]]
    falling = [state.remaining_capacity for state in seen]
    assert falling == sorted(falling, reverse=True)
    assert falling[-1] >= after.remaining_capacity == UNIT
    next(storage.sdk.preview(session))
    assert storage.state == after


def test_G14_pauses_pre_rolls_and_an_index_in_front_work(storage, movies):
    session = movie_session(storage, max_pre_roll=5)
    first = next(frame for frame in storage.sdk.preview(session) if frame.sequence >= 45)
    events, name = begin(storage, session, pre_roll=1, optimize_for_network_use=True)
    storage.sdk.pause_recording(name)
    storage.sdk.resume_recording(name)
    events.wait_for(lambda found: "resumed" in kinds(found))
    frames = storage.sdk.recording(name).frame_count
    wait_until(lambda: storage.sdk.recording(name).frame_count > frames)
    storage.sdk.stop_recording(name)
    finished = ended(events)[-1].recording
    movie = read_movie(movies / finished.file)
    assert len(movie.boards) == finished.frame_count
    assert movie.sequences[0] <= first.sequence
    assert finished.is_optimized_for_network_use
    assert has_index_in_front(movies / finished.file)


def test_G14_sound_is_in_step_with_the_pictures(start_movie_storage, movies):
    storage = start_movie_storage("--synthetic-microphones", "1")
    if not storage.state.supported:
        pytest.skip(storage.state.unsupported_reason)
    storage.set_capacity(UNIT)
    storage.idle()
    movie = firstlight.movie_output(uses_pro_video_storage=True)
    microphones = [firstlight.microphone("devices/synthetic-microphone-0")]
    wanted = firstlight.configuration(SYNTHETIC[0], movie=movie, microphones=microphones, **SMALL)
    session = storage.sdk.create_session(configuration=wanted, start=True).name
    finished = record(storage.sdk, session, frames=75)[-1].recording
    movie = check_movie(finished, movies)
    assert [track["codec_name"] for track in tracks(movies / finished.file)] == ["aac"]
    found = offsets(movies / finished.file, movie)
    # Sound may begin after the picture, as the microphone starts after the camera.
    assert found
    assert max(map(abs, found)) < 0.003, found


def test_G14_a_daemon_that_stops_moves_its_movie(storage, start_movie_storage, movies):
    session = movie_session(storage)
    events, name = begin(storage, session)
    storage.daemon.process.terminate()
    finished = events.wait_for(lambda found: kinds(found)[-1] == "finished")[-1].recording
    assert finished.end.cause == Cause.CAUSE_SESSION
    check_movie(finished, movies).check_complete(finished)
    storage.daemon.process.wait(timeout=20)
    again = start_movie_storage()
    assert again.sdk.recording(name) == finished
    state = again.state
    assert (state.busy, state.remaining_capacity) == (False, UNIT)


def test_a_recording_without_a_frame_leaves_nothing(storage, movies):
    session = movie_session(storage)
    events = Collector(storage.sdk.start_recording(session))
    events.wait_for(len)
    storage.sdk.stop(session)
    finished = ended(events)[-1].recording
    if not finished.frame_count:
        assert not finished.playable
        assert storage.state.remaining_capacity == 2 * UNIT
    assert not storage.state.busy
    assert drafts(movies) == []


# The encoder of ProRes makes about five pictures of 1080p in a second of one processor, and that of FFV1 about 19,
# which have more bytes. The long test needs two processors that nobody else uses.
@pytest.mark.alone
@pytest.mark.parametrize(
    ("codec", "features", "seconds", "units"),
    [
        pytest.param(MovieCodec.PRO_RES, SMALL, 3, 2, id="3 s"),
        pytest.param(MovieCodec.FFV1, FULL, 60, 48, id="60 s", marks=[pytest.mark.slow, pytest.mark.timeout(400)]),
    ],
)
def test_G15_a_high_data_rate_costs_no_frame(storage, movies, codec, features, seconds, units):
    storage.set_capacity(units * UNIT)
    storage.idle()
    session = movie_session(storage, features, codec=codec)
    events = Collector(storage.sdk.start_recording(session, max_seconds=seconds))
    began = time.monotonic()
    finished = events.wait_for(lambda found: "finished" in kinds(found), timeout=seconds + 120)[-1].recording
    rate = finished.recorded_file_size / seconds / 1e6
    print(f"{rate:.1f} MB/s, {time.monotonic() - began - seconds:.1f} s for the end and the move")
    assert finished.end.cause == Cause.CAUSE_MAX_RECORDED_DURATION
    assert {cause.name: count for cause, count in finished.dropped.ListFields()} == {}
    assert finished.frame_count == pytest.approx(30 * seconds, abs=1)
    check_movie(finished, movies, scaled=SMALL["size"]).check_complete()
