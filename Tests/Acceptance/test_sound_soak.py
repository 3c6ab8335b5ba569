"""Sound beside pictures for as long as `make soak` has time, with a sound card whose clock is off."""

from __future__ import annotations

import itertools
import os

import numpy as np
import pytest

import firstlight
from faults import inject
from firstlight.drill.v1 import fault_injection_service_pb2 as fault_pb2
from footage import SECOND
from movies import ended, kinds, read_movie
from sound import offsets, placed_samples
from sound_sessions import IN_STEP, MICROPHONES, sound_session, when_running
from support import Collector

#: For how long the recording runs.
MINUTES = float(os.environ.get("FIRSTLIGHT_SOUND_MINUTES", "30"))
#: By how many millionths the card's clock is fast. Without a correction the sound would be 12 ms off each minute.
DRIFT = 200
#: The parts of the movie that are looked at, and how long each is, in seconds.
PARTS = 30
PART_SECONDS = 5

pytestmark = [pytest.mark.alone, pytest.mark.slow]


@pytest.mark.timeout(60 * MINUTES + 300)
def test_A14_sound_stays_in_step_however_long_a_card_is_off(own_daemon, tmp_path):
    """Runs for FIRSTLIGHT_SOUND_MINUTES minutes, half an hour by default."""
    flags = ("--synthetic-microphones", "1", "--enable-fault-injection", "--recordings-dir", str(tmp_path / "movies"))
    with firstlight.connect(own_daemon(*flags).address, timeout=60) as client:
        fault = fault_pb2.CardClockFault(parts_per_million=DRIFT)
        inject(client, {"card_clock": fault}, MICROPHONES[0])
        session = sound_session(client)
        when_running(client, session)
        events = Collector(client.start_recording(session))
        name = events.wait_for(lambda found: "started" in kinds(found))[0].recording.name
        with client.preview(session, max_size=(64, 36), max_frame_rate=1) as clock:
            for _ in itertools.islice(clock, round(60 * MINUTES)):
                pass
        client.stop_recording(name)
        recording = ended(events)[-1].recording
        assert recording.audio_tracks[0].silent_duration.ToNanoseconds() == 0
        length = recording.recorded_duration.ToNanoseconds() / SECOND
        assert length > 60 * MINUTES - 5
        times = np.linspace(0, length - PART_SECONDS, PARTS)
        found = []
        for time in times:
            path = tmp_path / "part.mp4"
            start = recording.start_time.ToNanoseconds() + round(time * SECOND)
            path.unlink(missing_ok=True)
            client.export_recording(session, start, PART_SECONDS, path)
            each = offsets(path, read_movie(path), reader=placed_samples)
            assert len(each) >= 10 * (PART_SECONDS - 1)
            found.append(float(np.median(each)))
    slope = np.polyfit(times, found, 1)[0] * 1e6
    print(
        f"{length / 60:.1f} min at {DRIFT} millionths: off by {min(found) * 1e3:.2f} to {max(found) * 1e3:.2f} ms, "
        f"growing by {slope:.2f} millionths"
    )
    assert max(map(abs, found)) < IN_STEP, found
    # What is left of the card's error is noise of the measurement, which is smaller the longer the recording.
    assert abs(slope) < DRIFT / 50
