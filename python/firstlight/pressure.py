"""How hot and how loaded the machine is."""

from firstlight.enums import ContractEnum
from firstlight.v1 import pressure_readings_pb2 as readings_pb2, session_configuration_pb2 as configuration_pb2


class PressureLevel(ContractEnum):
    """How much pressure; the values of `SystemPressureLevel`, ordered."""

    #: None.
    NOMINAL = readings_pb2.SYSTEM_PRESSURE_LEVEL_NOMINAL
    #: Slightly up.
    FAIR = readings_pb2.SYSTEM_PRESSURE_LEVEL_FAIR
    #: High: throttling advised.
    SERIOUS = readings_pb2.SYSTEM_PRESSURE_LEVEL_SERIOUS
    #: Very high: throttling urgently advised.
    CRITICAL = readings_pb2.SYSTEM_PRESSURE_LEVEL_CRITICAL
    #: The kernel is about to switch the machine off.
    SHUTDOWN = readings_pb2.SYSTEM_PRESSURE_LEVEL_SHUTDOWN


class PressureFactor(ContractEnum):
    """What causes pressure; the values of `SystemPressureFactor`."""

    #: Heat.
    SYSTEM_TEMPERATURE = readings_pb2.SYSTEM_PRESSURE_FACTOR_SYSTEM_TEMPERATURE
    #: The supply gives less than is asked for.
    PEAK_POWER = readings_pb2.SYSTEM_PRESSURE_FACTOR_PEAK_POWER
    #: A hot camera; only in the state of a device.
    CAMERA_TEMPERATURE = readings_pb2.SYSTEM_PRESSURE_FACTOR_CAMERA_TEMPERATURE
    #: Tasks wait for a processor.
    CPU_PRESSURE = readings_pb2.SYSTEM_PRESSURE_FACTOR_CPU_PRESSURE
    #: Tasks wait for memory.
    MEMORY_PRESSURE = readings_pb2.SYSTEM_PRESSURE_FACTOR_MEMORY_PRESSURE
    #: Tasks wait for disks.
    IO_PRESSURE = readings_pb2.SYSTEM_PRESSURE_FACTOR_IO_PRESSURE


class AdaptationPolicy(ContractEnum):
    """Who takes load off the machine when it is under pressure; the values of `AdaptationPolicy`."""

    #: The client; nothing is changed.
    CLIENT = configuration_pb2.ADAPTATION_POLICY_CLIENT
    #: The daemon, by the ladder of `Client.adaptation_ladder`.
    SERVER = configuration_pb2.ADAPTATION_POLICY_SERVER
