"""Silence in place of sound: of microphones that go, that come later, and that lose what they heard."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import firstlight
from faults import REPLUG, UNPLUG, inject, seconds
from firstlight import AudioCodec, MovieContainer, connection
from firstlight.drill.v1 import fault_injection_service_pb2 as fault_pb2
from firstlight.v1 import session_pb2, types_pb2
from movies import begin, ended, kinds, read_movie, record, see
from sound import offsets, samples, ticks, tracks
from sound_sessions import IN_STEP, MICROPHONES, Session, inputs_of, sound_recorder, sound_session, when_running
from support import Collector

# The sound of several seconds is recorded, decoded and searched for its ticks.
pytestmark = pytest.mark.timeout(60)


@pytest.fixture
def recorder(own_daemon, tmp_path):
    """A client of a daemon with two microphones, and the folder of its recordings."""
    with sound_recorder(own_daemon, tmp_path) as found:
        yield found


# A busy machine may cost frames, and this test asks whether the microphone does.
@pytest.mark.alone
def test_A14_a_microphone_that_is_unplugged_leaves_a_playable_file(recorder):
    client, folder = recorder
    session = sound_session(client)
    when_running(client, session)
    events = Collector(client.start_recording(session, "away", fragment_seconds=0.2))
    name = events.wait_for(lambda found: "started" in kinds(found))[0].recording.name
    inject(client, UNPLUG, MICROPHONES[0])
    when_running(client, session, state=Session.STATE_INTERRUPTED)
    away = inputs_of(client, session)["microphone"]
    assert away.interruption_reason == types_pb2.INTERRUPTION_REASON_DEVICE_DISCONNECTED
    assert client.session(session).state == Session.STATE_RUNNING
    inject(client, REPLUG, MICROPHONES[0])
    when_running(client, session)
    first = None
    for frame in client.preview(session):
        first = frame.sequence if first is None else first
        if frame.sequence >= first + 45:
            break
    client.stop_recording(name)
    finished = ended(events)[-1].recording
    path = folder / finished.file
    movie = read_movie(path)
    movie.check_complete()
    assert not any(value for _, value in finished.dropped.ListFields())
    found = offsets(path, movie)
    assert len(found) >= 8
    assert sum(abs(offset) >= IN_STEP for offset in found) <= 1, found
    assert finished.audio_tracks[0].silent_duration.ToNanoseconds() > 500_000_000
    start, sound, rate = samples(path)
    assert start + len(sound) / rate == pytest.approx(movie.times[-1], abs=0.2)


#: How far a track and the pictures of a file may end apart, in seconds: two pictures, and a packet of sound.
END_TOGETHER = 2 / 30 + 0.03


def silent_end(sound: np.ndarray, rate: int) -> float:
    """How many seconds of silence a track ends with."""
    (heard,) = np.nonzero(np.abs(sound[:, 0]) > 1e-3)
    return (len(sound) - (heard[-1] + 1 if len(heard) else 0)) / rate


def check_silent_end(path, recording, *, least: float) -> None:
    """Checks that the track of a file ends with the pictures, and that the recording tells how much of it is silent."""
    movie = read_movie(path)
    start, sound, rate = samples(path)
    assert start + len(sound) / rate == pytest.approx(movie.times[-1] + 1 / 30, abs=END_TOGETHER)
    silent = recording.audio_tracks[0].silent_duration.ToNanoseconds() / 1e9
    assert silent >= least
    # A tick of the microphone has silence of its own after it, and a packet lies in one segment only.
    assert silent - END_TOGETHER <= silent_end(sound, rate) <= silent + 0.2


@pytest.mark.parametrize("how", ["removed", "disabled", "unplugged", "away from the start"])
def test_fault_F8_a_microphone_that_goes_leaves_silence_to_the_end(recorder, how):
    client, folder = recorder
    session = sound_session(client, audio_codec=AudioCodec.PCM)
    when_running(client, session)
    if how == "away from the start":
        inject(client, UNPLUG, MICROPHONES[0])
        when_running(client, session, state=Session.STATE_INTERRUPTED)
    events, name = begin(client, session, container=MovieContainer.MOV, fragment_seconds=0.2)
    see(client, session, 20)
    wanted = client.session(session).configuration
    if how == "removed":
        del wanted.inputs[1:]
        client.configure(session, wanted)
    elif how == "disabled":
        wanted.connections.extend(connection(output) for output in ("preview", "photo", "movie"))
        wanted.connections.append(connection("movie", input="microphone", enabled=False))
        client.configure(session, wanted)
    elif how == "unplugged":
        inject(client, UNPLUG, MICROPHONES[0])
        when_running(client, session, state=Session.STATE_INTERRUPTED)
    see(client, session, 20)
    client.stop_recording(name)
    finished = ended(events)[-1].recording
    check_silent_end(folder / finished.file, finished, least=0.5)


CHAIN = """
sessions:
  door:
    inputs:
      - device: devices/synthetic-0
        format: {pixel_format: NV12, width: 320, height: 180}
        frame_rate_override: {numerator: 30, denominator: 1}
      - device: devices/synthetic-microphone-0
    preview: {}
    record: {segment-duration: 1, fragment-interval: 0.5}
"""


def test_fault_F8_segments_and_chunks_without_a_microphone_are_silent_to_their_end(own_daemon, tmp_path):
    (tmp_path / "firstlight.yaml").write_text(CHAIN)
    folder, session = tmp_path / "movies", "sessions/door"
    options = ("--synthetic-microphones", "1", "--enable-fault-injection", "--recordings-dir", str(folder))
    daemon = own_daemon("--config", str(tmp_path / "firstlight.yaml"), *options)
    with firstlight.connect(daemon.address, timeout=20) as client:
        when_running(client, session)
        inject(client, UNPLUG, MICROPHONES[0])
        when_running(client, session, state=Session.STATE_INTERRUPTED)
        with client.stream_delayed_chunks(session, 1) as chunks:
            # The second one begins after the microphone went.
            chunk = next(itertools.islice(chunks, 1, None))
        (tmp_path / "chunk.mp4").write_bytes(chunk.data)
        found = [each for each in client.recordings(session) if each.state == each.STATE_FINISHED]
    movie = read_movie(tmp_path / "chunk.mp4")
    start, sound, rate = samples(tmp_path / "chunk.mp4")
    assert start + len(sound) / rate == pytest.approx(movie.times[-1] + 1 / 30, abs=END_TOGETHER)
    check_silent_end(folder / found[0].file, found[0], least=0.9)


DOOR = """
sessions:
  door:
    inputs:
      - device: devices/synthetic-0
        format: {pixel_format: NV12, width: 320, height: 180}
      - device: devices/synthetic-microphone-2
    preview: {}
    movie: {}
"""


# Three tracks are listened to twice.
@pytest.mark.timeout(60)
def test_A14_a_microphone_that_comes_later_in_another_form_is_heard(own_daemon, tmp_path):
    (tmp_path / "firstlight.yaml").write_text(DOOR)
    folder, session, microphone = tmp_path / "movies", "sessions/door", "devices/synthetic-microphone-2"
    options = ("--synthetic-microphones", "3", "--enable-fault-injection", "--recordings-dir", str(folder))
    daemon = own_daemon("--config", str(tmp_path / "firstlight.yaml"), *options)
    with firstlight.connect(daemon.address, timeout=20) as client:
        inject(client, UNPLUG, microphone)
        wanted = client.session(session).configuration
        silent = type(wanted)()
        silent.CopyFrom(wanted)
        del silent.inputs[1:]
        client.configure(session, silent)
        before = client.configure(session, wanted)
        assert form_of(before) == (48000, 2)
        next(client.preview(session))
        events = Collector(client.start_recording(session, "late", fragment_seconds=0.2))
        name = events.wait_for(lambda found: "started" in kinds(found))[0].recording.name
        inject(client, REPLUG, microphone)
        when_running(client, session)
        after = client.session(session)
        assert (form_of(after), after.etag) == ((16000, 1), before.etag)
        # A client that sends back what it reads changes nothing.
        assert form_of(client.configure(session, after.resolved_configuration)) == (16000, 1)
        first = None
        for frame in client.preview(session):
            first = frame.sequence if first is None else first
            if frame.sequence >= first + 60:
                break
        client.stop_recording(name)
        running, next_one = ended(events)[-1].recording, record(client, session, frames=45)[-1].recording
        for finished, form in ((running, ("48000", 2)), (next_one, ("16000", 1))):
            path = folder / finished.file
            movie = read_movie(path)
            assert [(track["sample_rate"], track["channels"]) for track in tracks(path)] == [form]
            for channel in range(form[1]):
                found = offsets(path, movie, channel=channel)
                assert len(found) >= 10
                # The microphone begins within a tick.
                assert sum(abs(offset) >= IN_STEP for offset in found) <= 1, found
                assert {tick.microphone for _, tick in ticks(path, channel=channel)} == {2}


def form_of(session: session_pb2.Session) -> tuple[int, int]:
    """The form of the sound of a session's microphone."""
    form = session.resolved_configuration.inputs[1].audio_format
    return form.sample_rate, form.channel_count


@pytest.mark.parametrize("suspended", [False, True])
def test_A14_lost_sound_is_an_event_and_silence(recorder, suspended):
    client, folder = recorder
    session = sound_session(client)
    when_running(client, session)
    events = Collector(client.start_recording(session, "lost", fragment_seconds=0.2))
    name = events.wait_for(lambda found: "started" in kinds(found))[0].recording.name
    with client.audio_levels(session) as levels:
        # The session tells no loss before the first sound of a microphone, so the test waits for that sound.
        next(levels)
    with client.watch_session(session) as session_events:
        # Events come from the snapshot on, which is the first one.
        next(session_events)
        loss = fault_pb2.LoseSoundFault(duration=seconds(0.3), suspended=suspended)
        inject(client, {"lose_sound": loss}, MICROPHONES[0])
        lost = next(event.audio_lost for event in session_events if event.HasField("audio_lost"))
    assert lost.input == "microphone"
    assert lost.loss_cause == (lost.CAUSE_SUSPENDED if suspended else lost.CAUSE_OVERRUN)
    # A busy machine takes longer to begin again, and that sound is lost, too.
    lost_seconds = lost.lost_duration.ToNanoseconds() / 1e9
    assert lost_seconds >= 0.29
    first = None
    for frame in client.preview(session):
        first = frame.sequence if first is None else first
        if frame.sequence >= first + 40:
            break
    client.stop_recording(name)
    finished = ended(events)[-1].recording
    path = folder / finished.file
    found = offsets(path, read_movie(path))
    assert sum(abs(offset) >= IN_STEP for offset in found) <= 2, found
    assert found
    assert abs(found[-1]) < IN_STEP
    assert finished.audio_tracks[0].silent_duration.ToNanoseconds() / 1e9 == pytest.approx(lost_seconds, abs=0.05)
