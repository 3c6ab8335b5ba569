"""Three streams of events behind one interface: how to open each, and how to cause an event on it."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import firstlight
from captures import SMALL
from faults import simulate
from firstlight import PressureLevel
from firstlight.v1 import pressure_service_pb2 as pressure_pb2
from support import SYNTHETIC, Stubs, changed


class World:
    """A daemon with a running session whose events a test watches. The test can kill the daemon and start another."""

    def __init__(self, launch: Callable[..., Any]) -> None:
        self._launch = launch
        self._turns = itertools.count(1)
        self._start()

    def _start(self) -> None:
        self.daemon = self._launch("--enable-fault-injection")
        self.client = firstlight.connect(self.daemon.address, timeout=8)
        self.stubs = Stubs(self.client.channel)
        self.name = self.create()

    def create(self) -> str:
        """Creates the session, always under the same name."""
        return self.client.create_session("watched", configuration=self.configuration(), start=True).name

    def configuration(self, number: int = 0) -> Any:
        """A configuration that differs from others only in its input id. Committing it does not restart the camera."""
        wanted = firstlight.configuration(SYNTHETIC[0], **SMALL)
        wanted.inputs[0].id = f"camera{number}"
        return wanted

    def kill_and_start_again(self) -> None:
        """Kills the daemon, as a crash would, and starts another in its place."""
        self.client.close()
        self.daemon.process.kill()
        self.daemon.process.wait()
        self._start()

    def open(self, kind: str, after: str = "") -> firstlight.Stream[Any]:
        """Opens a stream. Each of its items has an `event_id`."""
        if kind == "session":
            return self.client.watch_session(self.name, after_event_id=after)
        if kind == "captures":
            return self.client.watch_captures(self.name, after_event_id=after)
        request = pressure_pb2.WatchSystemPressureRequest(after_event_id=after)
        return firstlight.Stream(self.stubs.pressure.WatchSystemPressure(request), lambda response: response)

    def newest(self, kind: str) -> str:
        """The id of the newest event at this moment."""
        if kind == "captures":
            return self.client.captures(self.name).event_id
        with self.open(kind) as stream:
            return next(stream).event_id

    def happen(self, kind: str) -> None:
        """Causes something that the stream reports."""
        turn = next(self._turns)
        if kind == "session":
            self.client.configure(self.name, self.configuration(turn))
        elif kind == "captures":
            self.client.photo(self.name)
        else:
            simulate(self.client, (PressureLevel.FAIR, PressureLevel.SERIOUS)[turn % 2])

    @staticmethod
    def happened(kind: str, items: list[Any]) -> int:
        """How many calls of `happen` the events report."""
        if kind == "session":
            return sum(changed(event) == "configuration_committed" for event in items)
        if kind == "captures":
            return sum(event.HasField("did_finish_capture") for event in items)
        return len(items)
