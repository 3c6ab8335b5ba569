from firstlight.v1 import output_capabilities_pb2 as _output_capabilities_pb2
from firstlight.v1 import pressure_service_pb2 as _pressure_service_pb2
from firstlight.v1 import session_configuration_pb2 as _session_configuration_pb2
from firstlight.v1 import types_pb2 as _types_pb2
from google.rpc import status_pb2 as _status_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Session(_message.Message):
    __slots__ = ("name", "state", "interruption_reason", "etag", "configuration", "resolved_configuration", "config_revision", "hardware_cost", "system_pressure_cost", "cost_components", "output_capabilities", "applied_adaptation_steps", "on_demand", "input_status")
    class State(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        STATE_UNSPECIFIED: _ClassVar[Session.State]
        STATE_STOPPED: _ClassVar[Session.State]
        STATE_STARTING: _ClassVar[Session.State]
        STATE_RUNNING: _ClassVar[Session.State]
        STATE_STOPPING: _ClassVar[Session.State]
        STATE_INTERRUPTED: _ClassVar[Session.State]
    STATE_UNSPECIFIED: Session.State
    STATE_STOPPED: Session.State
    STATE_STARTING: Session.State
    STATE_RUNNING: Session.State
    STATE_STOPPING: Session.State
    STATE_INTERRUPTED: Session.State
    NAME_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    INTERRUPTION_REASON_FIELD_NUMBER: _ClassVar[int]
    ETAG_FIELD_NUMBER: _ClassVar[int]
    CONFIGURATION_FIELD_NUMBER: _ClassVar[int]
    RESOLVED_CONFIGURATION_FIELD_NUMBER: _ClassVar[int]
    CONFIG_REVISION_FIELD_NUMBER: _ClassVar[int]
    HARDWARE_COST_FIELD_NUMBER: _ClassVar[int]
    SYSTEM_PRESSURE_COST_FIELD_NUMBER: _ClassVar[int]
    COST_COMPONENTS_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_CAPABILITIES_FIELD_NUMBER: _ClassVar[int]
    APPLIED_ADAPTATION_STEPS_FIELD_NUMBER: _ClassVar[int]
    ON_DEMAND_FIELD_NUMBER: _ClassVar[int]
    INPUT_STATUS_FIELD_NUMBER: _ClassVar[int]
    name: str
    state: Session.State
    interruption_reason: _types_pb2.InterruptionReason
    etag: str
    configuration: _session_configuration_pb2.SessionConfiguration
    resolved_configuration: _session_configuration_pb2.SessionConfiguration
    config_revision: int
    hardware_cost: float
    system_pressure_cost: float
    cost_components: _containers.RepeatedCompositeFieldContainer[CostComponent]
    output_capabilities: _containers.RepeatedCompositeFieldContainer[_output_capabilities_pb2.OutputCapabilities]
    applied_adaptation_steps: _containers.RepeatedCompositeFieldContainer[_pressure_service_pb2.AdaptationStep]
    on_demand: bool
    input_status: _containers.RepeatedCompositeFieldContainer[InputStatus]
    def __init__(self, name: _Optional[str] = ..., state: _Optional[_Union[Session.State, str]] = ..., interruption_reason: _Optional[_Union[_types_pb2.InterruptionReason, str]] = ..., etag: _Optional[str] = ..., configuration: _Optional[_Union[_session_configuration_pb2.SessionConfiguration, _Mapping]] = ..., resolved_configuration: _Optional[_Union[_session_configuration_pb2.SessionConfiguration, _Mapping]] = ..., config_revision: _Optional[int] = ..., hardware_cost: _Optional[float] = ..., system_pressure_cost: _Optional[float] = ..., cost_components: _Optional[_Iterable[_Union[CostComponent, _Mapping]]] = ..., output_capabilities: _Optional[_Iterable[_Union[_output_capabilities_pb2.OutputCapabilities, _Mapping]]] = ..., applied_adaptation_steps: _Optional[_Iterable[_Union[_pressure_service_pb2.AdaptationStep, _Mapping]]] = ..., on_demand: bool = ..., input_status: _Optional[_Iterable[_Union[InputStatus, _Mapping]]] = ...) -> None: ...

class InputStatus(_message.Message):
    __slots__ = ("input", "device", "state", "interruption_reason", "error")
    INPUT_FIELD_NUMBER: _ClassVar[int]
    DEVICE_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    INTERRUPTION_REASON_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    input: str
    device: str
    state: Session.State
    interruption_reason: _types_pb2.InterruptionReason
    error: _status_pb2.Status
    def __init__(self, input: _Optional[str] = ..., device: _Optional[str] = ..., state: _Optional[_Union[Session.State, str]] = ..., interruption_reason: _Optional[_Union[_types_pb2.InterruptionReason, str]] = ..., error: _Optional[_Union[_status_pb2.Status, _Mapping]] = ...) -> None: ...

class CostComponent(_message.Message):
    __slots__ = ("resource", "description", "cost", "demand", "capacity", "unit", "certainty")
    class Resource(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        RESOURCE_UNSPECIFIED: _ClassVar[CostComponent.Resource]
        RESOURCE_USB_BANDWIDTH: _ClassVar[CostComponent.Resource]
        RESOURCE_MEMORY_BANDWIDTH: _ClassVar[CostComponent.Resource]
        RESOURCE_CONVERSION: _ClassVar[CostComponent.Resource]
        RESOURCE_ENCODING: _ClassVar[CostComponent.Resource]
        RESOURCE_SENSOR_READOUT: _ClassVar[CostComponent.Resource]
    RESOURCE_UNSPECIFIED: CostComponent.Resource
    RESOURCE_USB_BANDWIDTH: CostComponent.Resource
    RESOURCE_MEMORY_BANDWIDTH: CostComponent.Resource
    RESOURCE_CONVERSION: CostComponent.Resource
    RESOURCE_ENCODING: CostComponent.Resource
    RESOURCE_SENSOR_READOUT: CostComponent.Resource
    class Unit(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        UNIT_UNSPECIFIED: _ClassVar[CostComponent.Unit]
        UNIT_BYTES_PER_SECOND: _ClassVar[CostComponent.Unit]
        UNIT_PIXELS_PER_SECOND: _ClassVar[CostComponent.Unit]
    UNIT_UNSPECIFIED: CostComponent.Unit
    UNIT_BYTES_PER_SECOND: CostComponent.Unit
    UNIT_PIXELS_PER_SECOND: CostComponent.Unit
    class Certainty(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        CERTAINTY_UNSPECIFIED: _ClassVar[CostComponent.Certainty]
        CERTAINTY_EXACT: _ClassVar[CostComponent.Certainty]
        CERTAINTY_ESTIMATED: _ClassVar[CostComponent.Certainty]
        CERTAINTY_UNKNOWN: _ClassVar[CostComponent.Certainty]
    CERTAINTY_UNSPECIFIED: CostComponent.Certainty
    CERTAINTY_EXACT: CostComponent.Certainty
    CERTAINTY_ESTIMATED: CostComponent.Certainty
    CERTAINTY_UNKNOWN: CostComponent.Certainty
    RESOURCE_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    COST_FIELD_NUMBER: _ClassVar[int]
    DEMAND_FIELD_NUMBER: _ClassVar[int]
    CAPACITY_FIELD_NUMBER: _ClassVar[int]
    UNIT_FIELD_NUMBER: _ClassVar[int]
    CERTAINTY_FIELD_NUMBER: _ClassVar[int]
    resource: CostComponent.Resource
    description: str
    cost: float
    demand: float
    capacity: float
    unit: CostComponent.Unit
    certainty: CostComponent.Certainty
    def __init__(self, resource: _Optional[_Union[CostComponent.Resource, str]] = ..., description: _Optional[str] = ..., cost: _Optional[float] = ..., demand: _Optional[float] = ..., capacity: _Optional[float] = ..., unit: _Optional[_Union[CostComponent.Unit, str]] = ..., certainty: _Optional[_Union[CostComponent.Certainty, str]] = ...) -> None: ...
