"""A daemon on a machine made of files. A test sets the heat and reads what the sessions say about it."""

from __future__ import annotations

import contextlib

from google.protobuf import duration_pb2

import firstlight
import machines
from firstlight import AdaptationPolicy, PressureLevel
from firstlight.drill.v1 import pressure_drill_service_pb2 as drill_pb2, pressure_drill_service_pb2_grpc as drill_grpc
from support import SYNTHETIC, Collector, call, changed

SIZE = (1280, 720)

# For each machine its files, the number of the zone that becomes hot, and the degrees Celsius that each level needs by
# the trips of that zone. NOMINAL is so close to FAIR that the daemon reads the zone often.
MACHINES = {
    "PC": (machines.PC, 0, {"NOMINAL": 70, "SERIOUS": 81, "CRITICAL": 91, "SHUTDOWN": 96}),
    "Raspberry Pi": (machines.RASPBERRY_PI, 0, {"NOMINAL": 80, "SERIOUS": 91, "CRITICAL": 101, "SHUTDOWN": 106}),
    "Jetson": (machines.JETSON, 2, {"NOMINAL": 76, "SERIOUS": 85, "CRITICAL": 95, "SHUTDOWN": 100}),
}


class Rig:
    """A daemon on a machine made of files, and a client of that daemon."""

    def __init__(self, client: firstlight.Client, sysfs, zone: str, degrees: dict[str, float]) -> None:
        self.client = client
        #: The name of the zone that becomes hot.
        self.zone = zone
        self._sysfs = sysfs
        self._degrees = degrees
        self._drills = drill_grpc.PressureDrillServiceStub(client.channel)

    def heat(self, level: str) -> None:
        """Makes the zone as hot as the level needs."""
        self._sysfs.heat(self.zone, self._degrees[level])

    def drill(self, level: str) -> None:
        """Simulates a level for an hour. The real level below is nominal, so no slow fall disturbs the test."""
        duration = duration_pb2.Duration(seconds=3600)
        request = drill_pb2.SimulateLevelRequest(level=PressureLevel[level], duration=duration)
        call(self._drills.SimulateLevel, request)

    def session(self, policy: AdaptationPolicy | None = None, *, start: bool = True, **keywords) -> str:
        """Creates a session of the first camera, and starts it if asked to."""
        name = self.client.create_session().name
        keywords = {"pixel_format": "NV12", "size": SIZE, "frame_rate": 30, "photo": False} | keywords
        self.client.configure(name, firstlight.configuration(SYNTHETIC[0], adaptation=policy, **keywords))
        if start:
            self.client.start(name)
        return name

    def steps(self, name: str) -> list[str]:
        """The limits of the adaptation steps in force, as the session reports them."""
        return [step.WhichOneof("limit") for step in self.client.session(name).applied_adaptation_steps]


@contextlib.contextmanager
def collecting(stream):
    """Collects the items of a stream until the block ends."""
    collector = Collector(stream)
    try:
        yield collector
    finally:
        collector.close()


def step(event) -> str:
    """An event as text: `+ limit` or `- limit` for an adaptation step, otherwise the name from `changed`."""
    kind = event.WhichOneof("event")
    if kind not in ("adaptation_applied", "adaptation_undone"):
        return changed(event)
    return ("+ " if kind == "adaptation_applied" else "- ") + getattr(event, kind).adaptation_step.WhichOneof("limit")
