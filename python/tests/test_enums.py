import copy
import pickle

import pytest

from firstlight import (
    AdaptationPolicy,
    ColorRange,
    Encoding,
    FlashMode,
    FrameMatch,
    Gravity,
    PressureFactor,
    PressureLevel,
    Quality,
    Readiness,
)
from firstlight.enums import enum_name
from firstlight.v1 import (
    control_pb2,
    photo_pb2,
    photo_service_pb2,
    photo_shot_pb2,
    pressure_readings_pb2,
    preview_service_pb2,
    session_configuration_pb2,
    session_pb2,
    types_pb2,
)

MIRRORS = [
    (AdaptationPolicy, session_configuration_pb2.AdaptationPolicy, "ADAPTATION_POLICY_"),
    (ColorRange, types_pb2.ColorRange, "COLOR_RANGE_"),
    (Encoding, types_pb2.Encoding, "ENCODING_"),
    (FlashMode, photo_shot_pb2.FlashMode, "FLASH_MODE_"),
    (FrameMatch, photo_pb2.FrameMatch, "FRAME_MATCH_"),
    (Gravity, preview_service_pb2.PreviewGravity, "PREVIEW_GRAVITY_"),
    (PressureFactor, pressure_readings_pb2.SystemPressureFactor, "SYSTEM_PRESSURE_FACTOR_"),
    (PressureLevel, pressure_readings_pb2.SystemPressureLevel, "SYSTEM_PRESSURE_LEVEL_"),
    (Quality, photo_pb2.PhotoQualityPrioritization, "PHOTO_QUALITY_PRIORITIZATION_"),
    (Readiness, photo_service_pb2.CaptureReadiness, "CAPTURE_READINESS_"),
]


@pytest.mark.parametrize(("mirror", "original", "prefix"), MIRRORS)
def test_enumerations_hold_what_the_contract_holds(mirror, original, prefix):
    contract = {name.removeprefix(prefix): number for name, number in original.items() if number}
    assert {value.name: value.value for value in mirror if value} == contract


@pytest.mark.parametrize("mirror", [mirror for mirror, _, _ in MIRRORS])
@pytest.mark.parametrize("number", [99, 2**31 - 1, -1, -(2**31)])
def test_a_number_of_a_newer_daemon_is_a_member_that_keeps_it(mirror, number):
    value = mirror(number)
    assert isinstance(value, mirror)
    assert (value, value.value, value.name) == (number, number, f"UNKNOWN_{number}")
    assert value == mirror(number)
    assert (value > 50) == (number > 50)
    assert pickle.loads(pickle.dumps(value)) == copy.deepcopy(value) == value
    assert value not in list(mirror)
    assert str(number) in repr(value)


@pytest.mark.parametrize("mirror", [mirror for mirror, _, _ in MIRRORS])
def test_zero_is_unspecified(mirror):
    assert (mirror(0), mirror(0).name) == (0, "UNSPECIFIED")


@pytest.mark.parametrize("wrong", ["JPEG", None, 1.5, 2**31, -(2**31) - 1])
def test_what_is_no_number_of_an_enumeration_is_an_error(wrong):
    with pytest.raises(ValueError, match="is not a valid Encoding"):
        Encoding(wrong)


@pytest.mark.parametrize(
    ("enumeration", "number", "prefix", "name"),
    [
        (session_pb2.Session.State, session_pb2.Session.STATE_RUNNING, "STATE_", "RUNNING"),
        (control_pb2.ControlType, control_pb2.CONTROL_TYPE_U8, "CONTROL_TYPE_", "U8"),
        (control_pb2.ControlType, 99, "CONTROL_TYPE_", "UNKNOWN_99"),
        (session_pb2.Session.State, -1, "STATE_", "UNKNOWN_-1"),
    ],
)
def test_a_number_has_a_name_for_people(enumeration, number, prefix, name):
    assert enum_name(enumeration, number, prefix) == name
