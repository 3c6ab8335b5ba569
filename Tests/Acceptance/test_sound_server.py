"""The input of a sound server, which programs reach by a plug-in of ALSA."""

from __future__ import annotations

import numpy
import pytest

import firstlight
import sound_server
import time_signal
from captures import SMALL
from movies import record
from sound import samples
from support import SYNTHETIC

pytestmark = pytest.mark.timeout(60)


@pytest.mark.alone
def test_A14_a_sound_server_is_a_microphone(own_daemon, tmp_path):
    with sound_server.running(tmp_path, 60):
        daemon = own_daemon("--recordings-dir", str(tmp_path / "movies"))
        with firstlight.connect(daemon.address, timeout=20) as client:
            found = client.device(sound_server.MICROPHONE)
            assert (found.display_name, found.driver) == ("PulseAudio", "pulse")
            # The server gives its sound stamps of its own, and not those of a driver.
            assert not found.audio_capabilities.driver_timestamps
            microphones = [firstlight.microphone(found.name, sample_rate=sound_server.RATE, channels=2)]
            wanted = firstlight.configuration(
                SYNTHETIC[0], movie=firstlight.movie_output(), microphones=microphones, **SMALL
            )
            session = client.create_session(configuration=wanted, start=True).name
            with client.audio_levels(session) as levels:
                next(each for each in levels if each.channel_levels[0].peak_level > -10)
            finished = record(client, session, frames=75)[-1].recording
    path = tmp_path / "movies" / finished.file
    assert not finished.audio_tracks[0].silent_duration.ToNanoseconds()
    _, sound, rate = samples(path)
    found = time_signal.read(sound[:, 0], rate)
    numbers = [tick.number for tick in found]
    # The movie has each tick that was played meanwhile. The first and the last one may be cut.
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    assert len(numbers) >= len(sound) // (rate // 10) - 2
    distances = numpy.diff([tick.position / rate for tick in found])
    assert numpy.allclose(distances, time_signal.TICK, atol=0.001)
