"""What a session's answers mean for the device, as the kernel sees it."""

import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

import grpc
import pytest

from client import Client, error_info, next_frame
from firstlight.v1 import session_configuration_pb2 as configuration_pb2, session_service_pb2 as sessions_pb2
from machine import node, nodes_open, other_program, other_program_gets_a_frame


@contextmanager
def kernel_log_of_calls(number: int):
    """Makes the kernel log every ioctl on a camera. Gives a function that counts the ioctls of one name."""
    switch = Path(f"/sys/class/video4linux/video{number}/dev_debug")
    subprocess.run(["dmesg", "--clear"], check=True)
    switch.write_text("1")
    try:
        yield lambda name: subprocess.run(["dmesg"], check=True, capture_output=True, text=True).stdout.count(name)
    finally:
        switch.write_text("0")


def get(client: Client, name: str):
    return client.sessions.GetSession(sessions_pb2.GetSessionRequest(name=name)).session


def test_A11_start_means_streaming_and_stop_means_closed(client, process):
    with client.open_session(client.cameras()[0].name, start=False) as name:
        for _ in range(3):
            client.start(name)
            assert nodes_open(process) == [node(0)]
            assert not other_program_gets_a_frame(0)
            client.stop(name)
            assert nodes_open(process) == []
            assert other_program_gets_a_frame(0)


@pytest.mark.bare
def test_A13_a_preview_opened_before_start_is_quiet_then_flows(client):
    with client.open_session(client.cameras()[0].name, start=False) as name, client.stream_preview(name) as stream:
        with pytest.raises(grpc.RpcError) as failure:
            client.capture(name)
        assert error_info(failure.value).reason == "SESSION_NOT_RUNNING"
        before_ns = time.monotonic_ns()
        client.start(name)
        assert next_frame(stream).monotonic_time_ns > before_ns


@pytest.mark.bare
def test_A5_a_camera_goes_from_session_to_session(client):
    camera = client.cameras()[0].name
    with client.open_session(camera) as first, client.open_session(camera, start=False) as second:
        for holder, waiting in ((first, second), (second, first)):
            with pytest.raises(grpc.RpcError) as failure:
                client.start(waiting)
            assert error_info(failure.value).reason == "DEVICE_IN_USE"
            client.stop(holder)
            client.start(waiting)


def test_A9_a_launch_sets_the_format_once(client):
    camera = client.cameras()[0].name
    with kernel_log_of_calls(0) as calls, client.open_session(camera, start=False) as name:
        assert calls("VIDIOC_TRY_FMT") >= 1
        assert calls("VIDIOC_S_FMT") == 0
        with client.stream_preview(name) as stream:
            client.start(name)
            next_frame(stream)
        assert (calls("VIDIOC_S_FMT"), calls("VIDIOC_STREAMON")) == (1, 1)
        client.sessions.ConfigureSession(
            sessions_pb2.ConfigureSessionRequest(name=name, configuration=get(client, name).configuration)
        )
        assert (calls("VIDIOC_S_FMT"), calls("VIDIOC_STREAMON")) == (1, 1)


def test_A9_a_swap_to_a_camera_another_program_holds_changes_nothing(client, process):
    cameras = client.cameras()
    with client.open_session(cameras[0].name) as name, client.stream_preview(name) as stream:
        first = next_frame(stream)
        before = get(client, name)
        swapped = configuration_pb2.SessionConfiguration()
        swapped.CopyFrom(before.configuration)
        swapped.inputs[0].device = cameras[1].name
        with other_program(1):
            with pytest.raises(grpc.RpcError) as failure:
                client.sessions.ConfigureSession(sessions_pb2.ConfigureSessionRequest(name=name, configuration=swapped))
            assert failure.value.code() is grpc.StatusCode.UNAVAILABLE
            assert error_info(failure.value).reason == "DEVICE_IN_USE"
            assert get(client, name) == before
            assert nodes_open(process) == [node(0)]
            assert stream.until(lambda message: message.frame.stream_id > first.stream_id)
        client.sessions.ConfigureSession(sessions_pb2.ConfigureSessionRequest(name=name, configuration=swapped))
        assert nodes_open(process) == [node(1)]
