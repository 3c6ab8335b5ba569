"""Reads the sound of synthetic microphones, which says when it was captured; see docs/time-signal.md."""

from __future__ import annotations

from dataclasses import dataclass

import numpy

CHIRP_DURATION = 0.010
SYMBOL_START = 0.012
SYMBOL_DURATION = 0.006
SYMBOL_COUNT = 14
EDGE = 0.0005
TICK = 0.1


@dataclass
class Tick:
    """One tick that was found in the sound."""

    # The position of its onset, in samples.
    position: float
    # The number of the tick: tenths of a second since the Unix epoch.
    number: int
    microphone: int
    channel: int

    @property
    def wall_seconds(self) -> float:
        """The instant that the tick marks, in seconds since the Unix epoch."""
        return self.number * TICK


def read(samples: numpy.ndarray, rate: int) -> list[Tick]:
    """The ticks in the sound of one channel, in order. A tick whose check is wrong is left out."""
    found = []
    # Half a millisecond at each end of a symbol may belong to a neighbour.
    seconds = numpy.arange(int((SYMBOL_DURATION - 2 * EDGE) * rate)) / rate
    tones = numpy.exp(-2j * numpy.pi * numpy.outer(1000 + 250 * numpy.arange(16), seconds))
    for position in _onsets(samples, rate):
        symbols = _symbols(samples, rate, position, tones)
        if symbols is None or _check(symbols[:12]) != symbols[12] << 4 | symbols[13]:
            continue
        number = 0
        for symbol in symbols[:10]:
            number = number << 4 | symbol
        found.append(Tick(position, number, symbols[10], symbols[11]))
    return found


def _envelope(seconds: numpy.ndarray, duration: float) -> numpy.ndarray:
    nearest = numpy.minimum(seconds, duration - seconds)
    return numpy.sin(numpy.pi / 2 * numpy.clip(nearest / EDGE, 0, 1))


def _onsets(samples: numpy.ndarray, rate: int) -> list[float]:
    """The positions of the chirps: the peaks of the correlation with the chirp."""
    seconds = numpy.arange(round(CHIRP_DURATION * rate)) / rate
    phase = 2 * numpy.pi * (1000 + 4000 / CHIRP_DURATION / 2 * seconds) * seconds
    chirp = numpy.exp(1j * phase) * _envelope(seconds, CHIRP_DURATION)
    size = 1 << (len(samples) + len(chirp)).bit_length()
    spectrum = numpy.fft.fft(samples, size) * numpy.conj(numpy.fft.fft(chirp, size))
    strength = numpy.abs(numpy.fft.ifft(spectrum))[: len(samples)]
    # A chirp of full strength correlates to half of its energy.
    threshold = 0.3 * 0.5 * numpy.sum(numpy.abs(chirp) ** 2) / 2
    distance = round(0.05 * rate)
    onsets = []
    for start in range(0, len(strength), distance):
        peak = start + int(numpy.argmax(strength[start : start + distance]))
        around = strength[max(0, peak - distance) : peak + distance]
        if strength[peak] < threshold or strength[peak] < around.max() or not 0 < peak < len(strength) - 1:
            continue
        # A parabola through the peak and its neighbours gives the fraction of a sample.
        before, at, after = strength[peak - 1 : peak + 2]
        onsets.append(peak + (before - after) / (2 * (before - 2 * at + after)))
    return onsets


def _symbols(samples: numpy.ndarray, rate: int, onset: float, tones: numpy.ndarray) -> list[int] | None:
    """The symbols after an onset: of 16 tones the loudest. None where the sound ends before."""
    count = tones.shape[1]
    symbols = []
    for index in range(SYMBOL_COUNT):
        first = round(onset + (SYMBOL_START + index * SYMBOL_DURATION + EDGE) * rate)
        part = samples[first : first + count]
        if len(part) < count:
            return None
        symbols.append(int(numpy.argmax(numpy.abs(tones @ part))))
    return symbols


def _check(symbols: list[int]) -> int:
    """CRC-8 with the polynomial 0x07 over the bits of the symbols."""
    check = 0
    for symbol in symbols:
        for bit in (3, 2, 1, 0):
            is_set = (check >> 7) ^ (symbol >> bit & 1)
            check = (check << 1 & 0xFF) ^ (0x07 if is_set else 0)
    return check


def _coded(number: int, microphone: int, channel: int) -> list[int]:
    """The symbols of a tick."""
    symbols = [number >> 4 * place & 15 for place in range(9, -1, -1)] + [microphone, channel]
    check = _check(symbols)
    return [*symbols, check >> 4, check & 15]


def _chirp(seconds: numpy.ndarray) -> numpy.ndarray:
    phase = 2 * numpy.pi * (1000 + 4000 / CHIRP_DURATION / 2 * seconds) * seconds
    return numpy.sin(phase) * _envelope(seconds, CHIRP_DURATION)


def _tone(symbol: int, seconds: numpy.ndarray) -> numpy.ndarray:
    return numpy.sin(2 * numpy.pi * (1000 + 250 * symbol) * seconds) * _envelope(seconds, SYMBOL_DURATION)


def render(start: float, count: int, rate: int, microphone: int = 0, channel: int = 0) -> numpy.ndarray:
    """The sound from the wall-clock time `start` on, in seconds since the Unix epoch, as synthetic microphones make it.

    Tests check the reader with it.
    """
    first = int(start // TICK)
    offset = start - first * TICK
    seconds = offset + numpy.arange(count) / rate
    sound = numpy.zeros(count)
    for tick in range(int(seconds[-1] / TICK) + 1):
        at = seconds - tick * TICK
        inside = (at >= 0) & (at < CHIRP_DURATION)
        sound[inside] = _chirp(at[inside])
        for index, symbol in enumerate(_coded(first + tick, microphone, channel)):
            into = at - SYMBOL_START - index * SYMBOL_DURATION
            inside = (into >= 0) & (into < SYMBOL_DURATION)
            sound[inside] = _tone(symbol, into[inside])
    return 0.5 * sound


def render_ticks(seconds: int, rate: int) -> numpy.ndarray:
    """The sound of so many seconds since the Unix epoch, at a rate with a whole number of samples in a millisecond."""
    # All ticks consist of the same chirp and the same tones, so each of them is computed once.
    chirp = _chirp(numpy.arange(round(CHIRP_DURATION * rate)) / rate)
    tones = [_tone(symbol, numpy.arange(round(SYMBOL_DURATION * rate)) / rate) for symbol in range(16)]
    sound = numpy.zeros((10 * seconds, rate // 10), numpy.float32)
    for number, tick in enumerate(sound):
        tick[: len(chirp)] = chirp
        coded = numpy.concatenate([tones[symbol] for symbol in _coded(number, 0, 0)])
        tick[round(SYMBOL_START * rate) :][: len(coded)] = coded
    return 0.5 * sound.ravel()
