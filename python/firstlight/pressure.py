"""How hot the machine is."""

import enum

from firstlight.v1 import pressure_service_pb2 as pressure_pb2


class PressureLevel(enum.IntEnum):
    """How much pressure; the values of `SystemPressureLevel`, ordered."""

    #: None.
    NOMINAL = pressure_pb2.SYSTEM_PRESSURE_LEVEL_NOMINAL
    #: Slightly up.
    FAIR = pressure_pb2.SYSTEM_PRESSURE_LEVEL_FAIR
    #: High: throttling advised.
    SERIOUS = pressure_pb2.SYSTEM_PRESSURE_LEVEL_SERIOUS
    #: Very high: throttling urgently advised.
    CRITICAL = pressure_pb2.SYSTEM_PRESSURE_LEVEL_CRITICAL
    #: The kernel is about to switch the machine off.
    SHUTDOWN = pressure_pb2.SYSTEM_PRESSURE_LEVEL_SHUTDOWN
