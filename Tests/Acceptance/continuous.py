"""A daemon whose session records continuously, for tests that kill it and judge its segments by the boards."""

from __future__ import annotations

import itertools
import pathlib
import re
import urllib.request
from collections.abc import Callable

import firstlight
from captures import SMALL
from firstlight.daemon import Daemon
from firstlight.v1 import recording_pb2
from metrics import Page
from movies import Movie, read_movie
from support import SYNTHETIC, TIMEOUT

State = recording_pb2.Recording
Cause = recording_pb2.RecordingEnd
Recording = recording_pb2.Recording

SESSION = "sessions/door"
DOOR = """
sessions:
  door:
    inputs:
      - device: devices/synthetic-0
        format: {{pixel_format: NV12, width: 320, height: 180}}
        frame_rate_override: {{numerator: 30, denominator: 1}}
    preview: {{}}
    record: {{segment-duration: 1, fragment-interval: 0.25{options}}}
"""
RECORD = "record: {segment-duration: 1, fragment-interval: 0.25}"


class Recorder:
    """A daemon that records, which can be killed and started again."""

    client: firstlight.Client
    _daemon: Daemon
    _clients: list[firstlight.Client]

    def __init__(self, own_daemon: Callable[..., Daemon], folder: pathlib.Path) -> None:
        self._own_daemon = own_daemon
        self._clients = []
        self._config = folder / "firstlight.yaml"
        self._log = folder / "firstlightd.log"
        #: The folder of recordings.
        self.folder = folder / "movies"

    def start(self, options: str = "", *, entry: str = "") -> None:
        """Starts the daemon, with more options of `record`, or with another entry in its place."""
        text = DOOR.format(options=options)
        self._config.write_text(text.replace(RECORD, entry) if entry else text)
        files = ("--config", str(self._config), "--recordings-dir", str(self.folder))
        self._daemon = self._own_daemon("--enable-fault-injection", "--metrics-listen", "127.0.0.1:0", *files)
        self.client = firstlight.connect(self._daemon.address, timeout=20)
        self._clients.append(self.client)
        # The frames of another camera tell when to look again.
        other = firstlight.configuration(SYNTHETIC[1], preview=True, movie=firstlight.movie_output(), **SMALL)
        self.other = self.client.create_session(configuration=other, start=True).name

    def close(self) -> None:
        """Closes the clients."""
        for client in self._clients:
            client.close()

    def kill(self) -> None:
        """Ends the daemon without a word."""
        self._daemon.process.kill()
        self._daemon.process.wait(timeout=20)

    def stop(self) -> list[Recording]:
        """Stops the session, which ends the last segment. Returns all segments."""
        self.client.stop(SESSION)
        return self.wait(lambda found: len(finished(found)) == len(found))

    def segments(self) -> list[Recording]:
        """All segments, the oldest first."""
        return list(self.client.recordings(SESSION))[::-1]

    def wait(self, is_reached: Callable[[list[Recording]], bool]) -> list[Recording]:
        """Lists the segments again and again until they are as wanted."""
        with self.client.preview(self.other, pixel_format="NV12") as frames:
            for _ in itertools.islice(frames, 0, 30 * 60, 3):
                found = self.segments()
                if is_reached(found):
                    return found
        raise AssertionError(found)

    def wait_for_finished(self, count: int) -> list[Recording]:
        """Waits until so many segments have finished, and returns them all."""
        return finished(self.wait(lambda found: len(finished(found)) >= count))

    def movie(self, segment: Recording) -> Movie:
        """The movie of a segment."""
        return read_movie(self.folder / segment.file)

    def log(self) -> str:
        """What the daemon has logged."""
        return self._log.read_text()

    def metric(self, name: str, **labels: str) -> float:
        """The value of a metric."""
        port = re.findall(r"metrics at http://127\.0\.0\.1:(\d+)/", self.log())[-1]
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=TIMEOUT) as page:
            return Page(page.read().decode())(name, **labels)


def finished(segments: list[Recording]) -> list[Recording]:
    """Those that have finished."""
    return [item for item in segments if item.state == State.STATE_FINISHED]


def lost(segments: list[Recording]) -> int:
    """How many frames segments lack. A machine that is busy with other tests may be too slow for all of them."""
    return sum(value for item in segments for _, value in item.dropped.ListFields())
