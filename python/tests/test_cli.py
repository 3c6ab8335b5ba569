import contextlib
import sys

import pytest

import firstlight
from firstlight import cli
from firstlight.controls import setting
from firstlight.v1 import control_pb2, device_service_pb2

CONTROLS = [
    control_pb2.Control(
        id="exposure",
        control_type=control_pb2.CONTROL_TYPE_MENU,
        maximum=1,
        menu_items=[{"index": 0, "label": "Auto"}, {"index": 1, "label": "Manual"}],
    ),
    control_pb2.Control(id="gain", control_type=control_pb2.CONTROL_TYPE_INTEGER, maximum=100, step=1),
    control_pb2.Control(id="new", control_type=99),
]


class FakeClient(contextlib.AbstractContextManager):
    """A client whose daemon has one camera. It records the controls that are set."""

    def __init__(self):
        self.was_set = {}

    def __exit__(self, *_):
        return None

    def device(self, name):
        size_range = {"minimum_size": {"width": 2, "height": 4}, "maximum_size": {"width": 20, "height": 40}}
        formats = [{"pixel_format": "NV12", "size_range": size_range}]
        return device_service_pb2.Device(name=name, display_name="Camera", controls=CONTROLS, formats=formats)

    def microphones(self):
        return []

    def devices(self):
        return [self.device("devices/a")]

    def set_controls(self, _device, controls, *, session):
        for control, value in controls.items():
            self.was_set[control] = setting(control, value)
        return []


@pytest.fixture
def run(monkeypatch, capsys):
    """Runs the command line with a FakeClient, and gives the exit code, the output and the client."""

    def command(*arguments):
        client = FakeClient()
        monkeypatch.setattr(firstlight, "connect", lambda _address: client)
        monkeypatch.setattr(sys, "argv", ["firstlight", *arguments])
        code = cli.main()
        printed = capsys.readouterr()
        return code, printed.out, printed.err, client

    return command


def test_formats_with_a_range_of_sizes_are_listed(run):
    code, out, _, _ = run("devices")
    assert code == 0
    assert "NV12  2 x 4 to 20 x 40" in out


def test_controls_of_unknown_types_are_listed(run):
    code, out, _, _ = run("controls")
    assert code == 0
    assert "new = -  [unknown_99]" in out


def test_controls_are_set_by_number_label_or_default(run):
    code, _, _, client = run("controls", "exposure=Manual", "gain=0x10", "new=")
    assert code == 0
    assert [client.was_set[name].value.integer for name in ("exposure", "gain")] == [1, 16]
    assert not client.was_set["new"].HasField("value")


@pytest.mark.parametrize(
    ("argument", "told"),
    [
        ("gain=much", "gain takes a whole number, not 'much'"),
        ("exposure=manual", "exposure takes a whole number or one of Auto, Manual, not 'manual'"),
        ("gain=9223372036854775808", "gain = 9223372036854775808: a control takes whole numbers of 64 bits"),
    ],
)
def test_a_value_that_means_nothing_is_one_line(run, argument, told):
    code, out, err, _ = run("controls", argument)
    assert (code, out) == (1, "")
    assert err.startswith(f"firstlight: {told}")
    assert len(err.splitlines()) == 1
