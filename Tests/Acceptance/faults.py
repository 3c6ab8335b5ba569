"""Faults of synthetic cameras and simulated pressure, for daemons that run with `--enable-fault-injection`."""

from __future__ import annotations

from typing import Any

from google.protobuf import duration_pb2

import firstlight
from firstlight import PressureLevel
from firstlight.drill.v1 import (
    fault_injection_service_pb2 as fault_pb2,
    fault_injection_service_pb2_grpc as fault_grpc,
    pressure_drill_service_pb2 as drill_pb2,
    pressure_drill_service_pb2_grpc as drill_grpc,
)
from support import SYNTHETIC, call

UNPLUG = {"unplug": fault_pb2.UnplugFault()}
REPLUG = {"replug": fault_pb2.ReplugFault()}


def seconds(number: float) -> duration_pb2.Duration:
    """A number of seconds as the contract's type for durations."""
    return duration_pb2.Duration(nanos=round(number * 1e9) % 10**9, seconds=int(number))


def slow_start(number: float) -> dict[str, Any]:
    """A fault: the camera takes so many seconds to start."""
    return {"start_latency": fault_pb2.StartLatencyFault(latency=seconds(number))}


def stall(number: float) -> dict[str, Any]:
    """A fault: the camera gives no frames for so many seconds."""
    return {"stall": fault_pb2.StallFault(duration=seconds(number))}


def inject(client: firstlight.Client, fault: dict[str, Any], device: str = SYNTHETIC[0]) -> None:
    """Injects one fault. The fault takes effect with the next frame."""
    stub = fault_grpc.FaultInjectionServiceStub(client.channel)
    call(stub.InjectFault, fault_pb2.InjectFaultRequest(device=device, **fault))


def simulate(client: firstlight.Client, level: PressureLevel) -> None:
    """Simulates a level of pressure for an hour. NOMINAL ends the simulation."""
    request = drill_pb2.SimulateLevelRequest(level=level, duration=seconds(3600))
    call(drill_grpc.PressureDrillServiceStub(client.channel).SimulateLevel, request)
