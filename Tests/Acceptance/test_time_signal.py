"""The sound of synthetic microphones can be read after what recordings and streams do to sound."""

import subprocess

import numpy
import pytest

import time_signal

RATE = 48000
# Not on a tick, and with a number that uses all places.
START = 1_790_000_000.0371


def coded(sound: numpy.ndarray, rate: int, *arguments: str) -> numpy.ndarray:
    """The sound after FFmpeg has encoded and decoded it."""
    raw = ["-f", "f32le", "-ac", "1", "-ar", str(rate)]
    encode = ["ffmpeg", "-v", "error", *raw, "-i", "-", *arguments, "-f", "matroska", "-"]
    packed = subprocess.run(encode, input=sound.astype("<f4").tobytes(), capture_output=True, check=True).stdout
    decode = ["ffmpeg", "-v", "error", "-i", "-", *raw, "-"]
    plain = subprocess.run(decode, input=packed, capture_output=True, check=True).stdout
    return numpy.frombuffer(plain, "<f4").astype(float)


def expect_ticks(sound: numpy.ndarray, rate: int, error: float, delay: float = 0) -> None:
    """Checks that nearly all ticks are found, each within `error` seconds of where it belongs."""
    ticks = time_signal.read(sound, rate)
    assert len(ticks) >= 27
    for tick in ticks:
        assert (tick.microphone, tick.channel) == (3, 1)
        truth = (tick.wall_seconds - START + delay) * rate
        assert abs(tick.position - truth) < error * rate
    numbers = [tick.number for tick in ticks]
    assert numbers == sorted(set(numbers))


@pytest.mark.parametrize("rate", [16000, 44100, 48000])
def test_plain_sound_is_read(rate: int) -> None:
    sound = time_signal.render(START, 3 * rate, rate, microphone=3, channel=1)
    expect_ticks(sound, rate, 0.00002)


@pytest.mark.parametrize(
    ("arguments", "delay"),
    [
        # FFmpeg's encoder begins with 1,024 samples of silence, which Matroska does not say of AAC.
        (["-c:a", "aac", "-b:a", "64k"], 1024 / RATE),
        (["-c:a", "libopus", "-b:a", "64k"], 0),
        (["-c:a", "pcm_s16le", "-ar", "44100"], 0),
    ],
    ids=["aac", "opus", "resampled"],
)
def test_coded_sound_is_read(arguments: list[str], delay: float) -> None:
    sound = time_signal.render(START, 3 * RATE, RATE, microphone=3, channel=1)
    expect_ticks(coded(sound, RATE, *arguments), RATE, 0.001, delay)


def test_noise_is_no_tick() -> None:
    noise = numpy.random.default_rng(1).normal(0, 0.3, 3 * RATE)
    assert time_signal.read(noise, RATE) == []
    sound = time_signal.render(START, 3 * RATE, RATE, microphone=3, channel=1)
    expect_ticks(sound + 0.1 * noise, RATE, 0.0002)
