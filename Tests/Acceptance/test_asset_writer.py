"""Movies of what clients send: the order of the calls, the samples, and sources that follow one another (G4 to G7)."""

from __future__ import annotations

import numpy as np
import pytest

import drawn
import firstlight
from captures import SMALL
from drawn_movies import append, check_movie
from firstlight import MovieContainer
from firstlight.v1 import asset_writer_pb2 as writer_pb2, asset_writer_service_pb2 as writers_pb2, recording_pb2
from movies import has_index_in_front, read_movie, recording_session
from sound import samples
from support import SYNTHETIC, Stubs, refused, wait_until

State = writer_pb2.AssetWriter


@pytest.fixture
def movies(own_daemon, tmp_path):
    """A client of a daemon of its own, and the folder of its recordings."""
    folder = tmp_path / "movies"
    with firstlight.connect(own_daemon("--recordings-dir", str(folder)).address, timeout=20) as client:
        yield client, folder


def test_G4_every_picture_is_in_the_file_at_its_time(movies):
    client, folder = movies
    writer = client.asset_writer(drawn.SIZE, "mine/first", fragment_seconds=0.2)
    assert writer.state.state == State.STATE_UNKNOWN
    assert not folder.exists() or not list(folder.glob("mine/*"))
    numbers = [*range(20), *range(30, 50), 90]
    with writer:
        assert writer.state.state == State.STATE_WRITING
        append(writer, numbers)
        writer.flush()
        assert writer.input().appended_sample_count == len(numbers)
    done = writer.state
    assert done.state == State.STATE_COMPLETED
    assert (writer.input().acknowledged_sample_count, writer.input().refused_sample_count) == (len(numbers), 0)
    check_movie(folder / "mine/first.mp4", numbers)
    recording = client.recording(writer.recording)
    assert [each.name for each in client.recordings()] == [recording.name]
    assert (recording.file, recording.session, recording.frame_count) == ("mine/first.mp4", "", len(numbers))
    assert recording.end.cause == recording_pb2.RecordingEnd.CAUSE_STOPPED
    assert list(client.recording_spans()) == []
    client.delete_recording(recording.name)
    assert not (folder / "mine").exists()


def test_G4_cancelling_removes_the_file(movies):
    client, folder = movies
    writer = client.asset_writer(drawn.SIZE, "gone", fragment_seconds=0.1)
    writer.start()
    append(writer, range(20))
    writer.flush()
    wait_until(lambda: (folder / "gone.mp4").exists())
    writer.cancel()
    assert (writer.state.state, writer.recording) == (State.STATE_CANCELLED, "")
    assert not (folder / "gone.mp4").exists()
    assert list(client.recordings()) == []
    assert list(folder.glob(".firstlight/*.json")) == []


def test_G4_a_file_that_exists_fails_the_start_and_stays(movies):
    client, folder = movies
    with client.asset_writer(drawn.SIZE, "same") as first:
        append(first, range(5))
    second = client.asset_writer(drawn.SIZE, "same")
    with refused("ALREADY_EXISTS", "RECORDING_EXISTS"):
        second.start()
    assert second.refresh().state == State.STATE_FAILED
    assert firstlight.FirstlightError.from_status(second.state.error).reason == "RECORDING_EXISTS"
    check_movie(folder / "same.mp4", range(5))


#: Samples that a writer refuses, of which the call has the other fields from a good picture.
BAD = [
    {"data": b"short", "presentation_time_ns": 10**12},
    {"input": "nobody", "data": b"x"},
    {"presentation_time_ns": 4 * drawn.PERIOD},
    {"presentation_time_ns": 10**12},
    {"presentation_time_ns": 1 << 63},
    {"input": "audio", "data": b"123"},
    {"input": "audio", "data": bytes(400), "presentation_time_ns": 10**11},
]


def test_what_is_refused_costs_the_movie_no_picture(movies):
    client, folder = movies
    writer = client.asset_writer(drawn.SIZE, "good", audio=[firstlight.audio_input()])
    writer.start()
    append(writer, range(5))
    writer.flush()
    stub = Stubs(client.channel).writers
    for bad in BAD:
        sample = writers_pb2.WriterSample(**{"data": drawn.nv12(0).tobytes(), **bad})
        requests = [
            writers_pb2.AppendSamplesRequest(writer_name=writer.name),
            writers_pb2.AppendSamplesRequest(sample=sample),
        ]
        with refused("INVALID_ARGUMENT", "INVALID_ARGUMENT"):
            for _ in firstlight.Stream(stub.AppendSamples(iter(requests)), lambda each: each):
                pass
    append(writer, range(5, 8))
    assert writer.finish().state == State.STATE_COMPLETED
    check_movie(folder / "good.mp4", range(8))


def test_another_call_takes_over(movies):
    client, folder = movies
    writer = client.asset_writer(drawn.SIZE, "two")
    writer.start()
    append(writer, range(5))
    wait_until(lambda: writer.input().appended_sample_count == 5)
    first, writer._append = writer._append, None
    append(writer, range(5, 10))
    with refused("ABORTED", "OPERATION_INTERRUPTED"):
        first.finish()
    writer.finish()
    check_movie(folder / "two.mp4", range(10))


def test_a_writer_without_a_picture_leaves_no_file(movies):
    client, folder = movies
    writer = client.asset_writer(drawn.SIZE, "empty")
    writer.start()
    assert writer.finish().state == State.STATE_FAILED
    assert not (folder / "empty.mp4").exists()


def test_a_client_that_dies_leaves_all_that_was_appended(movies):
    client, folder = movies
    writer = client.asset_writer(drawn.SIZE, "left", idle_timeout=1)
    never_started = client.asset_writer(drawn.SIZE, idle_timeout=1)
    writer.start()
    append(writer, range(10))
    wait_until(lambda: writer.input().appended_sample_count == 10)
    assert writer.input().acknowledged_sample_count == 0
    # The call breaks off, as when the process of the client is killed.
    writer._append.cancel()
    # A watcher would count as a use of the writer, and so does each look at it: the recording tells of its end.
    name = writer.recording
    wait_until(lambda: client.recording(name).state == recording_pb2.Recording.STATE_FINISHED)
    assert writer.refresh().state == State.STATE_COMPLETED
    assert writer.input("video").appended_sample_count == 10
    check_movie(folder / "left.mp4", range(10))
    assert never_started.refresh().state == State.STATE_CANCELLED


def test_stopping_its_recording_ends_a_writer(movies):
    client, folder = movies
    writer = client.asset_writer(drawn.SIZE, "stopped")
    writer.start()
    append(writer, range(5))
    writer.flush()
    with refused("FAILED_PRECONDITION", "NOT_SUPPORTED_IN_CONFIGURATION"):
        client.pause_recording(writer.recording)
    client.stop_recording(writer.recording)
    with writer.watch() as states:
        assert [*states][-1].state == State.STATE_COMPLETED
    check_movie(folder / "stopped.mp4", range(5))


def test_G7_the_index_comes_first_when_wanted(movies):
    client, folder = movies
    for name, wanted in (("front", True), ("back", False)):
        with client.asset_writer(drawn.SIZE, name, optimize_for_network_use=wanted) as writer:
            append(writer, range(10))
        assert has_index_in_front(folder / f"{name}.mp4") == wanted
        check_movie(folder / f"{name}.mp4", range(10))


def test_sound_is_heard_with_its_picture(movies):
    """The sound of each picture is one number, so that it tells with which picture it belongs."""
    client, folder = movies
    rate, count = 48_000, 50
    block = rate * drawn.PERIOD // 10**9
    writer = client.asset_writer(
        drawn.SIZE,
        "sound",
        container=MovieContainer.MOV,
        frame_rate=25,
        audio=[firstlight.audio_input(channels=1)],
        audio_codec=firstlight.AudioCodec.PCM,
        fragment_seconds=0.2,
    )
    start = 7 * 10**9
    with writer:
        for number in range(count):
            time_ns = start + number * drawn.PERIOD
            writer.append_audio(np.full((block, 1), 100 * number, np.int16), time_ns)
            writer.append(drawn.nv12(number), time_ns)
    heard = writer.input("audio")
    assert (heard.appended_sample_count, heard.acknowledged_sample_count) == (count, count)
    check_movie(folder / "sound.mov", range(count))
    begin, sound, found = samples(folder / "sound.mov")
    assert (begin, found) == (0, rate)
    numbers = (sound[:, 0] * 32768).round().astype(int).tolist()
    wanted = np.repeat(100 * np.arange(count), block).tolist()
    # The last packet ends in silence.
    assert numbers[: len(wanted)] == wanted
    assert not any(numbers[len(wanted) :])


def test_coded_pictures_stay_as_they_are(movies):
    client, folder = movies
    session = recording_session(client, SYNTHETIC[0], **SMALL)
    writer = client.asset_writer(drawn.SIZE, "coded", pixel_format="H264", fragment_seconds=0.2)
    writer.start()
    sequences = []
    with client.preview(session, encoding=firstlight.Encoding.H264, max_unacknowledged_frames=0) as frames:
        for frame in frames:
            if not sequences and not frame.key_frame:
                continue
            writer.append(bytes(frame.data), frame.monotonic_time_ns)
            sequences.append(frame.sequence)
            if len(sequences) == 30:
                break
    assert writer.finish().state == State.STATE_COMPLETED
    movie = read_movie(folder / "coded.mp4")
    assert movie.sequences == sequences
    movie.check_times()


def test_jpeg_is_decoded_and_damage_is_counted(movies):
    client, folder = movies
    writer = client.asset_writer(drawn.SIZE, "jpeg", pixel_format="JPEG")
    with writer:
        for number in range(10):
            picture = bytearray(drawn.noisy_jpeg(number))
            if number == 5:
                # An end in the middle of the picture, with the marker that says that it is whole.
                picture[len(picture) // 2 : -2] = b""
            writer.append(bytes(picture), number * drawn.PERIOD)
    pictures = writer.input()
    assert (pictures.appended_sample_count, pictures.dropped.damaged) == (10, 1)
    assert pictures.acknowledged_sample_count == 9
    check_movie(folder / "jpeg.mp4", [0, 1, 2, 3, 4, 6, 7, 8, 9])
    other = client.asset_writer((640, 360), pixel_format="JPEG")
    other.start()
    other.append(drawn.noisy_jpeg(0), 0)
    with refused("INVALID_ARGUMENT", "INVALID_ARGUMENT"):
        other.flush()
    other.cancel()


@pytest.mark.alone
def test_G4_an_attached_output_gives_every_board(movies):
    client, folder = movies
    session = recording_session(client, SYNTHETIC[0], **SMALL)
    writer = client.asset_writer((320, 180), "attached", real_time=True, fragment_seconds=0.5)
    with refused("FAILED_PRECONDITION", "WRITER_NOT_STARTED"):
        writer.attach(session)
    writer.start()
    writer.attach(session)
    with refused("FAILED_PRECONDITION", "RECORDING_IN_PROGRESS"):
        next(client.start_recording(session))
    with writer.watch() as states:
        next(each for each in states if each.writer_inputs[0].appended_sample_count >= 60)
    assert writer.finish().state == State.STATE_COMPLETED
    pictures = writer.input()
    assert (pictures.refused_sample_count, sum(count for _, count in pictures.dropped.ListFields())) == (0, 0)
    movie = read_movie(folder / "attached.mp4")
    movie.check_complete()
    movie.check_times()
    assert len(movie.boards) == pictures.appended_sample_count == pictures.acknowledged_sample_count
    # The output is free again.
    events = client.start_recording(session)
    assert next(events).HasField("accepted")
    events.close()
    client.delete_session(session)
    other = client.asset_writer((640, 360))
    other.start()
    session = recording_session(client, SYNTHETIC[0], **SMALL)
    with refused("FAILED_PRECONDITION", "NOT_SUPPORTED_IN_CONFIGURATION"):
        other.attach(session)


def test_a_session_that_ends_leaves_the_writer_to_its_client(movies):
    client, folder = movies
    session = recording_session(client, SYNTHETIC[0], **SMALL)
    writer = client.asset_writer((320, 180), "short")
    writer.start()
    writer.attach(session)
    with writer.watch() as states:
        next(each for each in states if each.writer_inputs[0].appended_sample_count >= 5)
        client.delete_session(session)
        assert writer.refresh().state == State.STATE_WRITING
    assert writer.finish().state == State.STATE_COMPLETED
    assert len(read_movie(folder / "short.mp4").boards) == writer.input().appended_sample_count
