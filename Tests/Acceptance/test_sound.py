"""Sound in step with the pictures: the tone of a synthetic microphone and the boards of a synthetic camera."""

from __future__ import annotations

import pytest

import firstlight
from captures import SMALL
from faults import inject
from firstlight import AudioCodec, MovieCodec, MovieContainer, connection
from firstlight.drill.v1 import fault_injection_service_pb2 as fault_pb2
from http_rpc import HTTPEndpoint
from live_video import CONTAINERS, asking
from movies import ended, kinds, read_movie, record
from sound import offsets, ticks, tracks
from sound_sessions import IN_STEP, MICROPHONES, sound_recorder, sound_session, when_running
from support import SYNTHETIC, Collector, refused

# The sound of several seconds is recorded, decoded and searched for its ticks.
pytestmark = pytest.mark.timeout(60)


@pytest.fixture
def recorder(own_daemon, tmp_path):
    """A client of a daemon with two microphones, and the folder of its recordings."""
    with sound_recorder(own_daemon, tmp_path) as found:
        yield found


@pytest.mark.parametrize(
    ("audio_codec", "container", "name"),
    [
        (None, None, "aac"),
        (AudioCodec.AAC, MovieContainer.MPEG_TS, "aac"),
        (AudioCodec.OPUS, MovieContainer.MATROSKA, "opus"),
        (AudioCodec.PCM, MovieContainer.MOV, "pcm_s16le"),
    ],
)
def test_A14_sound_is_in_step_with_the_pictures(recorder, audio_codec, container, name):
    client, folder = recorder
    session = sound_session(client, audio_codec=audio_codec)
    when_running(client, session)
    finished = record(client, session, container=container, frames=75)[-1].recording
    path = folder / finished.file
    movie = read_movie(path)
    movie.check_complete(finished)
    assert [(track["codec_name"], track["sample_rate"], track["channels"]) for track in tracks(path)] == [
        (name, "48000", 2)
    ]
    for channel in (0, 1):
        found = offsets(path, movie, channel=channel)
        assert len(found) >= 20
        assert max(map(abs, found)) < IN_STEP, found
        assert {tick.channel for _, tick in ticks(path, channel=channel)} == {channel}
    (track,) = finished.audio_tracks
    assert track.input == "microphone"
    assert (track.audio_format.sample_rate, track.audio_format.channel_count) == (48000, 2)
    assert track.silent_duration.ToNanoseconds() == 0


def test_A14_sound_is_in_step_after_a_pause(recorder):
    client, folder = recorder
    session = sound_session(client)
    when_running(client, session)
    events = Collector(client.start_recording(session, "pause", fragment_seconds=0.2))
    name = events.wait_for(lambda found: "started" in kinds(found))[0].recording.name
    frames = client.preview(session)

    def watch(count: int) -> None:
        first = next(frames).sequence
        while next(frames).sequence < first + count:
            pass

    for _ in range(3):
        watch(20)
        client.pause_recording(name)
        watch(20)
        client.resume_recording(name)
    watch(20)
    client.stop_recording(name)
    path = folder / ended(events)[-1].recording.file
    found = offsets(path, read_movie(path))
    # A tick that a pause cuts may be read wrongly, and is none of the pictures around it.
    late = [offset for offset in found if abs(offset) >= IN_STEP]
    assert len(found) >= 15
    assert len(late) <= 3, found


def test_L4_two_microphones_are_two_tracks(recorder):
    client, folder = recorder
    session = sound_session(
        client,
        firstlight.microphone(MICROPHONES[0], id="left", channels=1),
        firstlight.microphone(MICROPHONES[1], id="right", sample_rate=44100, channels=1),
    )
    when_running(client, session, inputs=("left", "right"))
    finished = record(client, session, frames=60)[-1].recording
    path = folder / finished.file
    movie = read_movie(path)
    assert [(track["sample_rate"], track["channels"]) for track in tracks(path)] == [("48000", 1), ("44100", 1)]
    for track in (0, 1):
        assert {tick.microphone for _, tick in ticks(path, track)} == {track}
        assert max(map(abs, offsets(path, movie, track))) < IN_STEP
    assert [track.input for track in finished.audio_tracks] == ["left", "right"]


@pytest.mark.parametrize("drift", [200, -200])
def test_A14_a_card_whose_clock_is_off_stays_in_step(recorder, drift):
    client, folder = recorder
    inject(client, {"card_clock": fault_pb2.CardClockFault(parts_per_million=drift)}, MICROPHONES[0])
    session = sound_session(client)
    when_running(client, session)
    finished = record(client, session, frames=150)[-1].recording
    path = folder / finished.file
    found = offsets(path, read_movie(path))
    assert max(map(abs, found)) < IN_STEP, found


def test_fault_F9_a_connection_of_a_microphone_is_made_by_the_helper(recorder):
    client, folder = recorder
    connections = [connection("preview"), connection("movie"), connection("movie", input="microphone")]
    session = sound_session(client, connections=connections, photo=False)
    when_running(client, session)
    finished = record(client, session, frames=30)[-1].recording
    assert len(offsets(folder / finished.file, read_movie(folder / finished.file))) >= 5


def test_a_pre_roll_has_its_sound(recorder):
    client, folder = recorder
    movie = firstlight.movie_output(max_pre_roll=6)
    wanted = firstlight.configuration(
        SYNTHETIC[0], movie=movie, microphones=[firstlight.microphone(MICROPHONES[0])], **SMALL
    )
    session = client.create_session(configuration=wanted, start=True).name
    when_running(client, session)
    first = None
    for frame in client.preview(session):
        first = frame.sequence if first is None else first
        if frame.sequence >= first + 160:
            break
    finished = record(client, session, frames=30, pre_roll=4)[-1].recording
    path = folder / finished.file
    found = offsets(path, read_movie(path))
    assert len(found) >= 45
    assert max(map(abs, found)) < IN_STEP, found
    assert finished.audio_tracks[0].silent_duration.ToNanoseconds() == 0


def test_the_container_holds_both_codecs(recorder):
    client, _ = recorder
    session = sound_session(client, codec=MovieCodec.FFV1, audio_codec=AudioCodec.PCM)
    finished = record(client, session, frames=10)[-1].recording
    assert finished.container == MovieContainer.MATROSKA
    with refused("FAILED_PRECONDITION", "NOT_SUPPORTED_IN_CONFIGURATION"):
        list(client.start_recording(session, "a.mp4", container=MovieContainer.MP4))


def test_a_live_stream_has_sound(recorder, tmp_path):
    client, _ = recorder
    session = sound_session(client)
    when_running(client, session)
    endpoint = HTTPEndpoint.of(tmp_path / "firstlightd.log")
    for container in CONTAINERS:
        path = tmp_path / container
        with asking(endpoint, container, f"session={session.removeprefix('sessions/')}") as body:
            path.write_bytes(b"".join(body.read1(65536) for _ in range(90)))
        found = offsets(path, read_movie(path, is_whole=False))
        assert len(found) >= 5
        assert sum(abs(offset) >= IN_STEP for offset in found) <= 1, found


def test_configurations_that_cannot_be(recorder):
    client, _ = recorder
    for change, code, reason in (
        (lambda inputs: inputs.reverse(), "INVALID_ARGUMENT", "INVALID_ARGUMENT"),
        (lambda inputs: inputs.append(firstlight.microphone(MICROPHONES[0], id="b")), "INVALID_ARGUMENT", None),
        (lambda inputs: inputs.append(firstlight.microphone("devices/nobody")), "NOT_FOUND", "DEVICE_NOT_FOUND"),
    ):
        wanted = firstlight.configuration(SYNTHETIC[0], microphones=[firstlight.microphone(MICROPHONES[0])], **SMALL)
        inputs = list(wanted.inputs)
        change(inputs)
        del wanted.inputs[:]
        wanted.inputs.extend(inputs)
        with refused(code, reason or "INVALID_ARGUMENT"):
            client.create_session(configuration=wanted)
