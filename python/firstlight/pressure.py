"""The enumerations of system pressure."""

from firstlight.enums import ContractEnum
from firstlight.v1 import pressure_readings_pb2 as readings_pb2, session_configuration_pb2 as configuration_pb2


class PressureLevel(ContractEnum):
    """How high the pressure is. The values of the contract's `SystemPressureLevel`, which are ordered."""

    #: There is no pressure.
    NOMINAL = readings_pb2.SYSTEM_PRESSURE_LEVEL_NOMINAL
    #: The pressure is slightly raised.
    FAIR = readings_pb2.SYSTEM_PRESSURE_LEVEL_FAIR
    #: The pressure is high: clients should take load off the machine.
    SERIOUS = readings_pb2.SYSTEM_PRESSURE_LEVEL_SERIOUS
    #: The pressure is very high: clients should urgently take load off the machine.
    CRITICAL = readings_pb2.SYSTEM_PRESSURE_LEVEL_CRITICAL
    #: The kernel is about to switch the machine off.
    SHUTDOWN = readings_pb2.SYSTEM_PRESSURE_LEVEL_SHUTDOWN


class PressureFactor(ContractEnum):
    """What causes pressure. The values of the contract's `SystemPressureFactor`."""

    #: The machine is hot.
    SYSTEM_TEMPERATURE = readings_pb2.SYSTEM_PRESSURE_FACTOR_SYSTEM_TEMPERATURE
    #: The power supply gives less than the machine needs.
    PEAK_POWER = readings_pb2.SYSTEM_PRESSURE_FACTOR_PEAK_POWER
    #: A camera is hot. Only the state of a device has this factor, except in a drill.
    CAMERA_TEMPERATURE = readings_pb2.SYSTEM_PRESSURE_FACTOR_CAMERA_TEMPERATURE
    #: Tasks wait for a processor.
    CPU_PRESSURE = readings_pb2.SYSTEM_PRESSURE_FACTOR_CPU_PRESSURE
    #: Tasks wait for memory.
    MEMORY_PRESSURE = readings_pb2.SYSTEM_PRESSURE_FACTOR_MEMORY_PRESSURE
    #: Tasks wait for disks.
    IO_PRESSURE = readings_pb2.SYSTEM_PRESSURE_FACTOR_IO_PRESSURE


class AdaptationPolicy(ContractEnum):
    """Who takes load off the machine under pressure. The values of the contract's `AdaptationPolicy`."""

    #: The client: the daemon changes nothing.
    CLIENT = configuration_pb2.ADAPTATION_POLICY_CLIENT
    #: The daemon: the session takes the steps of `Client.adaptation_ladder`.
    SERVER = configuration_pb2.ADAPTATION_POLICY_SERVER
