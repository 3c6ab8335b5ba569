"""Controls as the driver has them. vivid has a control of every type."""

import re
import subprocess

import grpc
import pytest

from client import PATIENCE, error_info, frames_until, next_frame, status_error_info
from firstlight.v1 import control_pb2, device_service_pb2 as device

TYPES = {
    "int": control_pb2.CONTROL_TYPE_INTEGER,
    "bool": control_pb2.CONTROL_TYPE_BOOLEAN,
    "menu": control_pb2.CONTROL_TYPE_MENU,
    "intmenu": control_pb2.CONTROL_TYPE_INTEGER_MENU,
    "button": control_pb2.CONTROL_TYPE_BUTTON,
    "int64": control_pb2.CONTROL_TYPE_INTEGER64,
    "str": control_pb2.CONTROL_TYPE_STRING,
    "bitmask": control_pb2.CONTROL_TYPE_BITMASK,
    "u8": control_pb2.CONTROL_TYPE_U8,
    "u16": control_pb2.CONTROL_TYPE_U16,
    "u32": control_pb2.CONTROL_TYPE_U32,
}


@pytest.fixture(params=["single-planar", "multi-planar"])
def camera(client, request):
    """The name of a camera and its node."""
    index = ("single-planar", "multi-planar").index(request.param)
    return client.cameras()[index].name, f"/dev/video{index}"


def tool(node, *arguments):
    """The output of v4l2-ctl for a camera."""
    command = ["v4l2-ctl", "-d", node, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=PATIENCE).stdout


def controls(client, name):
    request = device.GetDeviceRequest(name=name)
    return {control.id: control for control in client.devices.GetDevice(request, timeout=PATIENCE).device.controls}


def value_of(message):
    kind = message.WhichOneof("value")
    return getattr(message, kind) if kind else None


def set_controls(client, name, wanted, session=""):
    """Sets controls and returns the results in order."""
    fields = {bool: "boolean", int: "integer", str: "string", bytes: "array"}
    settings = [
        control_pb2.ControlSetting(
            control=control,
            value=None if value is None else control_pb2.ControlValue(**{fields[type(value)]: value}),
        )
        for control, value in wanted
    ]
    request = control_pb2.SetControlsRequest(device=name, session=session, control_settings=settings)
    return list(client.devices.SetControls(request, timeout=PATIENCE).results)


def reasons(results):
    return [status_error_info(result.error).reason if result.HasField("error") else "" for result in results]


def test_every_control_is_listed_as_v4l2_ctl_lists_it(client, camera):
    name, node = camera
    line = re.compile(r"^\s+(\w+) 0x([0-9a-f]{8}) \((\w+)\)\s*:(.*)$", re.MULTILINE)
    told = line.findall(tool(node, "--list-ctrls"))
    listed = controls(client, name)
    assert len(told) > 20
    assert [(id_, int(number, 16)) for id_, number, _, _ in told] == [(c.id, c.v4l2_id) for c in listed.values()]
    assert {kind for _, _, kind, _ in told} >= TYPES.keys()
    for id_, _, kind, rest in told:
        control = listed[id_]
        assert control.control_type == TYPES.get(kind, control_pb2.CONTROL_TYPE_UNSPECIFIED)
        assert control.read_only == ("read-only" in rest)
        assert control.inactive == ("inactive" in rest)
        assert control.volatile == ("volatile" in rest)
        numbers = dict(re.findall(r"(min|max|step|default|value)=(-?\d+)", rest))
        if kind in ("int", "int64", "menu", "intmenu"):
            assert control.minimum == int(numbers["min"])
            assert control.maximum == int(numbers["max"])
            assert control.default_value == int(numbers["default"])
        if kind in ("int", "int64", "bool", "menu", "intmenu") and not control.volatile:
            assert value_of(control.value) == int(numbers["value"])


def test_every_type_is_set_and_read_back(client, camera):
    name, node = camera
    before = controls(client, name)
    matrix, cube = before["u16_8x16_matrix"], before["u8_2x3x4x5_array"]
    assert list(matrix.dimensions) == [8, 16]
    assert list(cube.dimensions) == [2, 3, 4, 5]
    item = before["integer_menu"].menu_items[-1]
    wanted = [
        ("integer_32_bits", -12345),
        ("integer_64_bits", 1 << 40),
        ("boolean", False),
        ("menu", before["menu"].menu_items[0].index),
        ("integer_menu", item.index),
        ("string", "ab"),
        ("bitmask", 0x80000000),
        ("u8_2x3x4x5_array", bytes([cube.maximum, cube.minimum] * 60)),
        ("u16_8x16_matrix", matrix.maximum.to_bytes(2, "little") * 128),
        ("u32_1_element_array", (before["u32_1_element_array"].minimum + 1).to_bytes(4, "little")),
    ]
    results = set_controls(client, name, wanted)
    assert reasons(results) == [""] * len(wanted)
    assert {result.outcome for result in results} == {control_pb2.ControlResult.OUTCOME_SET}
    assert [(result.control, value_of(result.value)) for result in results] == wanted
    after = controls(client, name)
    assert [(control, value_of(after[control].value)) for control, _ in wanted] == wanted
    # Another program sees the same values.
    assert tool(node, "-C", "integer_32_bits").split() == ["integer_32_bits:", "-12345"]
    assert tool(node, "-C", "integer_64_bits").split() == ["integer_64_bits:", str(1 << 40)]
    assert tool(node, "-C", "string").split() == ["string:", "'ab'"]
    assert int(tool(node, "-C", "bitmask").split()[1], 0) & 0xFFFFFFFF == 0x80000000

    defaults = [(control, None) for control, _ in wanted]
    assert reasons(set_controls(client, name, defaults)) == [""] * len(wanted)
    again = controls(client, name)
    for control in ("integer_32_bits", "integer_64_bits", "menu", "integer_menu", "bitmask"):
        assert value_of(again[control].value) == again[control].default_value
    assert value_of(again["boolean"].value) == bool(again["boolean"].default_value)
    assert value_of(again["u16_8x16_matrix"].value) == matrix.default_value.to_bytes(2, "little") * 128


def test_an_array_of_changing_length(client, camera):
    name, _ = camera
    known = controls(client, name)
    if "u32_dynamic_array" not in known:
        pytest.skip("this kernel's vivid has none")
    limit = known["u32_dynamic_array"].dimensions[0]
    least = known["u32_dynamic_array"].minimum.to_bytes(4, "little")
    (result,) = set_controls(client, name, [("u32_dynamic_array", least * 3)])
    assert value_of(result.value) == least * 3
    assert reasons(set_controls(client, name, [("u32_dynamic_array", least * (limit + 1))])) == ["UNSUPPORTED_VALUE"]
    set_controls(client, name, [("u32_dynamic_array", None)])


def text_rows(picture):
    """The number of rows in which the black behind the driver's text covers the light bar at the left.

    `picture` is YUYV, 640 wide.
    """
    return sum(min(picture[row + 2 * 16 : row + 2 * 80 : 2]) < 60 for row in range(0, len(picture), 2 * 640))


def test_a_button_does_what_it_says(client, camera):
    name, _ = camera
    button = controls(client, name)["button"]
    assert not button.HasField("value")
    with client.open_session(name) as session, client.stream_preview(session) as stream:
        before = text_rows(next_frame(stream).data)
        (result,) = set_controls(client, name, [("button", None)], session)
        assert not result.HasField("error")
        assert not result.HasField("value")
        # For a second the driver writes a line into the picture that the button was pressed.
        frames_until(stream, lambda frame: text_rows(frame.data) > before)


def test_what_does_not_fit_is_refused_and_changes_nothing(client, camera):
    name, _ = camera
    before = controls(client, name)
    menu = before["menu"]
    holes = set(range(menu.minimum, menu.maximum + 1)) - {item.index for item in menu.menu_items}
    assert holes, "vivid's menu has a hole"
    wanted = [
        ("brightness", before["brightness"].maximum + 1),
        ("brightness", before["brightness"].minimum - 1),
        ("brightness", "bright"),
        ("menu", menu.maximum + 1),
        ("menu", holes.pop()),
        ("integer_menu", before["integer_menu"].maximum + 1),
        ("string", "x" * (before["string"].maximum + 1)),
        ("bitmask", 1),
        ("u8_2x3x4x5_array", b"\x18"),
        ("u16_8x16_matrix", b"\xff\xff" * 128),
        ("read_only_integer_32_bits", 1),
        ("no_such_control", 1),
    ]
    results = set_controls(client, name, wanted)
    expected = ["UNSUPPORTED_VALUE"] * 10 + ["CONTROL_READ_ONLY", "CONTROL_NOT_FOUND"]
    expected[2] = "CONTROL_WRONG_TYPE"
    assert reasons(results) == expected
    refused, wrong_type = control_pb2.ControlResult.OUTCOME_REFUSED, control_pb2.ControlResult.OUTCOME_WRONG_TYPE
    assert [result.outcome for result in results] == [
        wrong_type if reason == "CONTROL_WRONG_TYPE" else refused for reason in expected
    ]
    after = controls(client, name)
    for control, _ in wanted[:-1]:
        assert after[control].value == before[control].value


def test_what_another_control_governs_is_inactive(client, camera):
    name, _ = camera
    automatic, manual = ("gain_automatic", True), ("gain_automatic", False)
    assert reasons(set_controls(client, name, [automatic, ("gain", 50)])) == ["", "CONTROL_INACTIVE"]
    results = set_controls(client, name, [manual, ("gain", 50), automatic])
    assert reasons(results) == ["", "", ""]
    assert value_of(results[1].value) == 50


def test_brightness_is_seen_in_the_pixels_while_the_camera_streams(client, camera):
    name, _ = camera
    with client.open_session(name) as session, client.stream_preview(session) as stream:

        def luma(frame):
            # The driver writes nothing into the lower half.
            return sum(frame.data[len(frame.data) // 2 :: 2]) / (len(frame.data) // 4)

        first = next_frame(stream)
        plain = luma(first)
        known = controls(client, name)
        for session_named in ("", "sessions/nobody"):
            with pytest.raises(grpc.RpcError) as failure:
                set_controls(client, name, [("brightness", 0)], session_named)
            expected = {"": "DEVICE_CLAIMED", "sessions/nobody": "SESSION_NOT_FOUND"}[session_named]
            assert error_info(failure.value).reason == expected
        (result,) = set_controls(client, name, [("brightness", known["brightness"].minimum)], session)
        assert value_of(result.value) == known["brightness"].minimum
        dark = frames_until(stream, lambda frame: luma(frame) < plain - 20)[-1]
        set_controls(client, name, [("brightness", None)], session)
        again = frames_until(stream, lambda frame: abs(luma(frame) - plain) < 3)[-1]
    assert dark.stream_id == again.stream_id == first.stream_id


def test_what_streaming_forbids_is_grabbed(client, camera):
    name, _ = camera
    with client.open_session(name) as session, client.stream_preview(session) as stream:
        next_frame(stream)
        grabbed = [control for control in controls(client, name).values() if control.grabbed]
        if not grabbed:
            pytest.skip("this kernel's vivid grabs nothing")
        results = set_controls(client, name, [(control.id, None) for control in grabbed], session)
        assert set(reasons(results)) == {"CONTROL_GRABBED"}
    assert not any(control.grabbed for control in controls(client, name).values())
