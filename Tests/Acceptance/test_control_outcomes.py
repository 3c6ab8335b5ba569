"""The outcome of each control setting: set, clamped, refused, or of the wrong type."""

import pytest

import firstlight
from firstlight.controls import value_of
from firstlight.v1 import control_pb2
from support import SYNTHETIC, call

CAMERA = SYNTHETIC[1]
Outcome = control_pb2.ControlResult.Outcome


@pytest.fixture(autouse=True)
def untouched(client):
    """Resets all controls after each test, so that every test finds the values of the daemon's start."""
    yield
    (result,) = client.set_controls(CAMERA, {"reset_controls": None})
    assert result.outcome == Outcome.OUTCOME_SET


def listed(client):
    return {control.id: control for control in client.device(CAMERA).controls}


def set_one(client, control, value):
    (result,) = client.set_controls(CAMERA, {control: value})
    assert result.control == control
    return result


def outcome(result):
    """The name of the outcome. Fails when the error or the value of the result does not fit the outcome."""
    failed = result.outcome in (Outcome.OUTCOME_REFUSED, Outcome.OUTCOME_WRONG_TYPE)
    assert result.HasField("error") == failed, result
    assert not (failed and result.HasField("value")), result
    return Outcome.Name(result.outcome).removeprefix("OUTCOME_")


def error(result):
    return firstlight.FirstlightError.from_status(result.error)


def stepped(client):
    """A writable number control whose step is larger than 1."""
    for control in listed(client).values():
        number = control.control_type in (control_pb2.CONTROL_TYPE_INTEGER, control_pb2.CONTROL_TYPE_INTEGER64)
        if number and control.step > 1 and not (control.read_only or control.inactive or control.grabbed):
            return control
    pytest.fail("no synthetic camera has a control with steps")


@pytest.mark.parametrize(
    ("control", "value"),
    [("brightness", 25), ("brightness", -100), ("brightness", 100), ("test_pattern", 2), ("auto_exposure", 1)],
)
def test_a_value_of_the_range_is_set(client, control, value):
    result = set_one(client, control, value)
    assert (outcome(result), value_of(result.value)) == ("SET", value)
    assert value_of(listed(client)[control].value) == value


def test_a_setting_without_a_value_is_the_default(client):
    assert outcome(set_one(client, "brightness", 25)) == "SET"
    result = set_one(client, "brightness", None)
    assert (outcome(result), value_of(result.value)) == ("SET", listed(client)["brightness"].default_value)


@pytest.mark.parametrize("value", [0, 1, True, "now", b"", None])
def test_a_button_is_set_whatever_the_value(client, value):
    result = set_one(client, "reset_controls", value)
    assert outcome(result) == "SET"
    assert not result.HasField("value")


@pytest.mark.parametrize("more", [1, -1], ids=["from below", "from above"])
def test_a_value_between_the_steps_is_clamped_to_the_nearest(client, more):
    control = stepped(client)
    asked = control.minimum + control.step + more
    result = set_one(client, control.id, asked)
    assert (value_of(result.value) - control.minimum) % control.step == 0
    assert abs(value_of(result.value) - asked) == 1, "no other step is as near"
    assert outcome(result) == "CLAMPED"
    assert value_of(listed(client)[control.id].value) == value_of(result.value)


def test_every_step_is_set_and_not_clamped(client):
    control = stepped(client)
    for value in (control.minimum, control.minimum + control.step, control.default_value):
        result = set_one(client, control.id, value)
        assert (outcome(result), value_of(result.value)) == ("SET", value)


@pytest.mark.parametrize(
    ("control", "value", "code", "reason"),
    [
        ("brightness", 101, "INVALID_ARGUMENT", "UNSUPPORTED_VALUE"),
        ("brightness", -101, "INVALID_ARGUMENT", "UNSUPPORTED_VALUE"),
        ("brightness", 1 << 62, "INVALID_ARGUMENT", "UNSUPPORTED_VALUE"),
        ("test_pattern", 99, "INVALID_ARGUMENT", "UNSUPPORTED_VALUE"),
        ("auto_exposure", -1, "INVALID_ARGUMENT", "UNSUPPORTED_VALUE"),
        ("no_such_control", 1, "NOT_FOUND", "CONTROL_NOT_FOUND"),
        ("exposure_time_absolute", 50, "FAILED_PRECONDITION", "CONTROL_INACTIVE"),
        ("strobe", 1, "FAILED_PRECONDITION", "CONTROL_INACTIVE"),
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(client, control, value, code, reason):
    before = listed(client)
    result = set_one(client, control, value)
    assert outcome(result) == "REFUSED"
    assert (error(result).code.name, error(result).reason) == (code, reason)
    assert listed(client) == before


@pytest.mark.parametrize(
    ("control", "value"),
    [
        ("brightness", "much"),
        ("brightness", True),
        ("brightness", b"\x01\x00\x00\x00"),
        ("test_pattern", "Bars"),
        ("auto_exposure", b"\x01"),
    ],
)
def test_a_value_of_another_type_is_told_so_and_changes_nothing(client, control, value):
    before = listed(client)
    result = set_one(client, control, value)
    assert outcome(result) == "WRONG_TYPE"
    assert (error(result).code.name, error(result).reason) == ("INVALID_ARGUMENT", "CONTROL_WRONG_TYPE")
    kind = control_pb2.ControlType.Name(before[control].control_type).removeprefix("CONTROL_TYPE_")
    assert kind.lower() in error(result).message.lower(), "the message names the type it takes"
    assert listed(client) == before


def test_settings_of_one_call_are_each_on_its_own_and_in_order(client):
    control = stepped(client)
    wanted = {
        "brightness": 1000,
        "contrast": "much",
        control.id: control.minimum + control.step + 1,
        "no_such_control": 1,
        "exposure_time_absolute": 40,
        "auto_exposure": 1,
        "gain": 200,
        "test_pattern": 2,
    }
    results = client.set_controls(CAMERA, wanted)
    assert [result.control for result in results] == list(wanted)
    assert [outcome(result) for result in results] == [
        "REFUSED",
        "WRONG_TYPE",
        "CLAMPED",
        "REFUSED",
        # This control is inactive until the setting after it switches to manual exposure.
        "REFUSED",
        "SET",
        "SET",
        "SET",
    ]
    now = listed(client)
    assert [value_of(now[name].value) for name in ("brightness", "gain", "test_pattern")] == [0, 200, 2]


def test_the_last_setting_of_a_control_counts(client, stubs):
    settings = [
        control_pb2.ControlSetting(control="brightness", value=control_pb2.ControlValue(integer=value))
        for value in (10, 1000, 20)
    ]
    request = control_pb2.SetControlsRequest(device=CAMERA, control_settings=settings)
    results = call(stubs.devices.SetControls, request).results
    assert [outcome(result) for result in results] == ["SET", "REFUSED", "SET"]
    assert value_of(listed(client)["brightness"].value) == 20
