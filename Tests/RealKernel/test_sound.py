"""Sound of snd-aloop beside the pictures of vivid: one recording, judged by the times of both drivers."""

from __future__ import annotations

import json
import subprocess
import time
from itertools import islice

import pytest

import firstlight
import loopback
import time_signal
from processes import descriptors, thread_files
from sound import samples
from test_recording import absent_from, began, lost

#: How long a frame of the recording lasts, in seconds.
FRAME = 1 / 30
#: The card's clock is off by so many millionths.
SHIFT = 200
#: How long nothing may happen while nobody uses the microphone, in seconds.
IDLE = 10


@pytest.fixture
def card():
    """A sound card whose clock is slow."""
    loopback.unload()
    loopback.load()
    loopback.shift_rate(SHIFT)
    yield
    loopback.unload()


@pytest.mark.timeout(180)  # Reading the movie takes long where the machine that emulates the guest is slow.
def test_A14_the_sound_of_a_card_is_in_step_with_the_pictures_of_a_camera(process, sdk, client, card, tmp_path):
    wait_for_microphone(client)
    camera = client.cameras()[0].name
    wanted = firstlight.configuration(
        camera,
        movie=firstlight.movie_output(quality=30),
        pixel_format="YUYV",
        size=(320, 180),
        microphones=[firstlight.microphone(loopback.MICROPHONE)],
    )
    sound = time_signal.render_ticks(60, loopback.RATE)
    session = sdk.create_session(configuration=wanted, start=True).name
    try:
        with loopback.playing(sound):
            with sdk.audio_levels(session) as levels:
                next(each for each in levels if each.channel_levels[0].peak_level > -10)
            assert any("microp" in name for name in wakeups(process.pid))
            recording = began(sdk.start_recording(session, fragment_seconds=0.5))
            with sdk.preview(session, max_size=(64, 36)) as preview:
                frames = [frame.monotonic_time_ns for frame in islice(preview, 75)]
                played = [loopback.played_at() for _ in islice(preview, 75)]
            stopped = sdk.stop_recording(recording.name)
        path = tmp_path / "sound.mp4"
        sdk.download_recording(recording.name, path)
        sdk.delete_recording(recording.name)
    finally:
        # The card cannot go while a session holds it.
        sdk.delete_session(session)
    # Each frame that the preview showed is in the movie at the time of its capture, or counts as dropped: the encoder
    # is slow on an emulated machine.
    absent = absent_from(recording, picture_packets(path), frames)
    print(f"{len(absent)} of {len(frames)} frames of the preview are not in the movie, which lacks {lost(stopped)}")
    assert len(absent) <= lost(stopped)
    assert len(absent) < len(frames)
    begin = recording.start_monotonic_time_ns / 1e9
    start, sound, rate = samples(path)
    found = time_signal.read(sound[:, 0], rate)
    assert len(found) >= 40
    late = [begin + start + tick.position / rate - when(tick, played) for tick in found]
    silent = stopped.audio_tracks[0].silent_duration.ToNanoseconds() / 1e9
    print(f"{silent:.2f} s of {len(sound) / rate:.1f} s are silent")
    print(f"sound is {min(late) * 1e3:.1f} to {max(late) * 1e3:.1f} ms late in {len(late)} ticks")
    assert max(map(abs, late)) < FRAME


def test_A14_a_microphone_that_nobody_uses_costs_nothing(process, client, card):
    wait_for_microphone(client)
    before = settled_wakeups(process.pid)
    time.sleep(IDLE)
    after = wakeups(process.pid)
    assert [link for link in descriptors(process.pid).values() if link.startswith("/dev/snd/pcm")] == []
    assert list(after) == ["alsa devices"]
    assert after == before


def wait_for_microphone(client):
    """Waits until the daemon knows the card and what it can do."""
    with client.watch_devices() as events:
        events.until(
            lambda message: (
                message.event.device.name == loopback.MICROPHONE
                and message.event.device.audio_capabilities.sample_rates
            )
        )


def settled_wakeups(process_id: int) -> dict[str, int]:
    """The same when the thread that looks for sound cards has looked at all that belongs to this one."""
    before, after = None, wakeups(process_id)
    while after != before:
        time.sleep(1)
        before, after = after, wakeups(process_id)
    return after


def wakeups(process_id: int) -> dict[str, int]:
    """How often each thread that has to do with sound was woken."""
    # The kernel cuts the name of loopback-microphone-1's thread.
    return {
        name: int(status.split("voluntary_ctxt_switches:")[1].split()[0])
        for name, status in thread_files(process_id, "status")
        if "alsa" in name or "microp" in name
    }


def when(tick: time_signal.Tick, played: list[tuple[float, int]]) -> float:
    """When a tick was played, in seconds of CLOCK_MONOTONIC."""
    position = tick.number * time_signal.TICK * loopback.RATE
    stamp, nearest = min(played, key=lambda each: abs(each[1] - position))
    return stamp + (position - nearest) / loopback.RATE * (1 + SHIFT * 1e-6)


def picture_packets(path) -> list[tuple[float, int]]:
    """The packets of the track of pictures: their times in seconds, and their sizes."""
    wanted = ["-select_streams", "v", "-show_entries", "packet=pts_time,size", "-of", "json"]
    read = subprocess.run(["ffprobe", "-v", "error", *wanted, path], capture_output=True, check=True).stdout
    return [(float(packet["pts_time"]), int(packet["size"])) for packet in json.loads(read)["packets"]]
