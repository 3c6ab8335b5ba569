"""The commands `devices` and `controls`."""

from __future__ import annotations

import argparse

import firstlight
from firstlight.commands.common import UnusableValueError, first_device
from firstlight.controls import Value, describe, parse
from firstlight.v1 import device_service_pb2 as device_pb2


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the commands of this module."""
    devices = commands.add_parser("devices", help="list the cameras and their formats, and the microphones")
    devices.set_defaults(run=list_devices)

    controls = commands.add_parser("controls", help="list a camera's controls, or set some")
    controls.add_argument("--device", help="a camera (default: the first one listed)")
    controls.add_argument("--session", default="", help="the session that runs the camera, to set controls meanwhile")
    controls.add_argument("settings", nargs="*", metavar="CONTROL=VALUE", help="without VALUE: the default")
    controls.set_defaults(run=show_or_set_controls)


def list_devices(client: firstlight.Client, _: argparse.Namespace) -> None:
    """Prints the cameras and their formats, then the microphones."""
    for device in client.devices() + client.microphones():
        print(f"{device.name}  {device.display_name}  ({device.driver})")
        if device.HasField("unavailable"):
            print(f"  cannot be used: {device.unavailable.message}")
        for format in device.formats:
            print(f"  {format.pixel_format}  {_describe_size(format)}  {format.description}")
        if device.HasField("audio_capabilities"):
            sound = device.audio_capabilities
            rates = ", ".join(str(rate) for rate in sound.sample_rates)
            print(f"  {rates} Hz  {', '.join(str(count) for count in sound.channel_counts)} channels")


def show_or_set_controls(client: firstlight.Client, arguments: argparse.Namespace) -> None:
    """Sets the controls that the command line names, then prints these controls, or all when it names none.

    Raises UnusableValueError for a value that its control cannot take, and FirstlightError for the first control that
    the daemon did not set.
    """
    device = client.device(arguments.device or first_device(client))
    known = {control.id: control for control in device.controls}
    wanted: dict[str, Value | None] = {}
    for argument in arguments.settings:
        control, _, text = argument.partition("=")
        # A control that the camera does not list is sent all the same: the daemon refuses it with an error.
        wanted[control] = None
        if text and control in known:
            try:
                wanted[control] = parse(known[control], text)
            except ValueError as error:
                raise UnusableValueError(error) from error
    try:
        results = client.set_controls(device.name, wanted, session=arguments.session) if wanted else []
    except ValueError as error:
        raise UnusableValueError(error) from error
    failures = [result for result in results if result.HasField("error")]
    for control in client.device(device.name).controls:
        if not wanted or control.id in wanted:
            print(describe(control))
    if failures:
        raise firstlight.FirstlightError.from_status(failures[0].error)


def _describe_size(format: device_pb2.DeviceFormat) -> str:
    if format.HasField("size"):
        return f"{format.size.width} x {format.size.height}"
    smallest, largest = format.size_range.minimum_size, format.size_range.maximum_size
    return f"{smallest.width} x {smallest.height} to {largest.width} x {largest.height}"
