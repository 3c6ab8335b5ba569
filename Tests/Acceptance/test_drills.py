"""The daemon serves and describes drills only where the operator enables them."""

import grpc
import pytest
from google.protobuf import descriptor_pool
from grpc_reflection.v1alpha import reflection_pb2
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

import firstlight
from faults import REPLUG, UNPLUG, inject, seconds, simulate
from firstlight import PressureLevel
from firstlight.drill.v1 import (
    fault_injection_service_pb2 as fault_pb2,
    fault_injection_service_pb2_grpc as fault_grpc,
    pressure_drill_service_pb2 as drill_pb2,
    pressure_drill_service_pb2_grpc as drill_grpc,
)
from support import SYNTHETIC, TIMEOUT, call

PACKAGE = "firstlight.drill.v1"
SERVICES = {f"{PACKAGE}.{name}" for name in ("FaultInjectionService", "PressureDrillService", "TaskPoolDrillService")}
FILES = ["fault_injection_service.proto", "pressure_drill_service.proto", "task_pool_drill_service.proto"]
SYMBOLS = [
    *sorted(SERVICES),
    f"{PACKAGE}.FaultInjectionService.InjectFault",
    f"{PACKAGE}.InjectFaultRequest",
    f"{PACKAGE}.SimulateLevelResponse",
]
FORMER = ["firstlight.v1.FaultInjectionService", "firstlight.v1.PressureDrillService", "firstlight.v1.StallFault"]


@pytest.fixture
def enabled(own_daemon):
    """A client of a daemon that was started with drills enabled."""
    with firstlight.connect(own_daemon("--enable-fault-injection").address, timeout=8) as client:
        yield client


def ask(client, version, **question):
    """The answer of the reflection service to one question."""
    method = client.channel.stream_stream(
        f"/grpc.reflection.{version}.ServerReflection/ServerReflectionInfo",
        request_serializer=reflection_pb2.ServerReflectionRequest.SerializeToString,
        response_deserializer=reflection_pb2.ServerReflectionResponse.FromString,
    )
    (answer,) = method(iter([reflection_pb2.ServerReflectionRequest(**question)]), timeout=TIMEOUT)
    return answer


def is_unknown(answer):
    return answer.error_response.error_code == grpc.StatusCode.NOT_FOUND.value[0]


def test_both_drills_are_listed_described_and_answer_where_they_are_enabled(enabled):
    database = ProtoReflectionDescriptorDatabase(enabled.channel)
    assert set(database.get_services()) >= SERVICES
    pool = descriptor_pool.DescriptorPool(database)
    for service in SERVICES:
        assert len(pool.FindServiceByName(service).methods) == 1
    inject(enabled, UNPLUG)
    assert SYNTHETIC[0] not in {device.name for device in enabled.devices()}
    inject(enabled, REPLUG)
    simulate(enabled, PressureLevel.SERIOUS)
    state = enabled.system_pressure()
    assert (state.level, state.simulated) == (PressureLevel.SERIOUS, True)


@pytest.mark.parametrize("version", ["v1", "v1alpha"])
def test_reflection_knows_drills_where_they_are_enabled(enabled, version):
    for symbol in SYMBOLS:
        assert ask(enabled, version, file_containing_symbol=symbol).file_descriptor_response.file_descriptor_proto
    for file in FILES:
        name = f"firstlight/drill/v1/{file}"
        assert ask(enabled, version, file_by_filename=name).file_descriptor_response.file_descriptor_proto


@pytest.mark.parametrize("version", ["v1", "v1alpha"])
def test_reflection_knows_nothing_of_drills_elsewhere(client, version):
    for symbol in [*SYMBOLS, PACKAGE]:
        assert is_unknown(ask(client, version, file_containing_symbol=symbol)), symbol
    for file in FILES:
        assert is_unknown(ask(client, version, file_by_filename=f"firstlight/drill/v1/{file}")), file
    listed = ask(client, version, list_services="").list_services_response.service
    assert [service.name for service in listed if "drill" in service.name] == []
    assert ask(
        client, version, file_containing_symbol="firstlight.v1.Photo"
    ).file_descriptor_response.file_descriptor_proto


@pytest.mark.parametrize(
    ("stub", "method", "request_"),
    [
        (
            fault_grpc.FaultInjectionServiceStub,
            "InjectFault",
            fault_pb2.InjectFaultRequest(device=SYNTHETIC[0], unplug=fault_pb2.UnplugFault()),
        ),
        (
            drill_grpc.PressureDrillServiceStub,
            "SimulateLevel",
            drill_pb2.SimulateLevelRequest(level=PressureLevel.SHUTDOWN, duration=seconds(1)),
        ),
    ],
)
def test_drills_are_unimplemented_elsewhere_and_do_nothing(client, stub, method, request_):
    with pytest.raises(firstlight.FirstlightError) as raised:
        call(getattr(stub(client.channel), method), request_)
    assert (raised.value.code, raised.value.reason) == (grpc.StatusCode.UNIMPLEMENTED, "METHOD_NOT_FOUND")
    assert SYNTHETIC[0] in {device.name for device in client.devices()}
    assert not client.system_pressure().simulated


@pytest.mark.parametrize("version", ["v1", "v1alpha"])
def test_drills_are_not_part_of_what_is_promised(enabled, version):
    for symbol in FORMER:
        assert is_unknown(ask(enabled, version, file_containing_symbol=symbol)), symbol
    for path in ("FaultInjectionService/InjectFault", "PressureDrillService/SimulateLevel"):
        with pytest.raises(firstlight.FirstlightError) as raised:
            call(enabled.channel.unary_unary(f"/firstlight.v1.{path}"), b"")
        assert raised.value.code is grpc.StatusCode.UNIMPLEMENTED
