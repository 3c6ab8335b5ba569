"""Compares the sound of a movie with its pictures: both say when they were captured."""

from __future__ import annotations

import json
import pathlib
import subprocess

import numpy as np

import time_signal
from movies import Movie


def tracks(path: pathlib.Path) -> list[dict]:
    """What FFmpeg tells of the tracks of sound."""
    entries = "stream=codec_name,sample_rate,channels"
    return json.loads(_probe(path, "a", entries))["streams"]


def samples(path: pathlib.Path, track: int = 0) -> tuple[float, np.ndarray, int]:
    """When a track begins, in seconds; its samples, a column for each channel; and how many come in a second."""
    found = tracks(path)[track]
    packets = json.loads(_probe(path, f"a:{track}", "packet=pts_time"))["packets"]
    command = ["ffmpeg", "-v", "error", "-i", str(path), "-map", f"0:a:{track}", "-f", "f32le", "-"]
    done = subprocess.run(command, capture_output=True, check=True, timeout=60)
    assert not done.stderr, done.stderr.decode()
    sound = np.frombuffer(done.stdout, np.float32).reshape(-1, found["channels"])
    return float(packets[0]["pts_time"]), sound, int(found["sample_rate"])


def placed_samples(path: pathlib.Path, track: int = 0) -> tuple[float, np.ndarray, int]:
    """As `samples`, but each packet lies where its time says, so that a gap between packets is silent."""
    found = tracks(path)[track]
    rate = int(found["sample_rate"])
    entries = json.loads(_probe(path, f"a:{track}", "frame=pts_time,nb_samples"))["frames"]
    command = ["ffmpeg", "-v", "error", "-i", str(path), "-map", f"0:a:{track}", "-f", "f32le", "-"]
    done = subprocess.run(command, capture_output=True, check=True, timeout=60)
    decoded = np.frombuffer(done.stdout, np.float32).reshape(-1, found["channels"])
    assert len(decoded) == sum(int(entry["nb_samples"]) for entry in entries)
    start = float(entries[0]["pts_time"])
    places = [round((float(entry["pts_time"]) - start) * rate) for entry in entries]
    sound = np.zeros((places[-1] + int(entries[-1]["nb_samples"]), found["channels"]), np.float32)
    taken = 0
    for place, entry in zip(places, entries, strict=True):
        count = int(entry["nb_samples"])
        sound[place : place + count] = decoded[taken : taken + count]
        taken += count
    return start, sound, rate


def ticks(path: pathlib.Path, track: int = 0, channel: int = 0, reader=samples) -> list[tuple[float, time_signal.Tick]]:
    """The ticks of a channel, each with the time of the movie at which it is heard, in seconds."""
    start, sound, rate = reader(path, track)
    return [(start + tick.position / rate, tick) for tick in time_signal.read(sound[:, channel], rate)]


def offsets(path: pathlib.Path, movie: Movie, track: int = 0, channel: int = 0, reader=samples) -> list[float]:
    """By how many seconds the sound is late against the pictures, at each tick; negative where it is early.

    A tick is compared with the picture before it. Ticks of pauses, which no picture has, are left out.
    """
    found = []
    for time, tick in ticks(path, track, channel, reader):
        index = int(np.searchsorted(movie.times, time, "right")) - 1
        if index < 0:
            continue
        captured = movie.boards[index].capture_time_ns / 1e9 + (time - movie.times[index])
        found.append(captured - tick.wall_seconds)
    return found


def _probe(path: pathlib.Path, stream: str, entries: str) -> str:
    command = ["ffprobe", "-v", "error", "-select_streams", stream, "-show_entries", entries, "-of", "json", str(path)]
    return subprocess.run(command, capture_output=True, check=True, timeout=60, text=True).stdout
