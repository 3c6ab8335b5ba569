"""One camera belongs to at most one session."""

import grpc
import pytest

from client import error_info, next_frame
from machine import other_program


def assert_in_use(client, name: str) -> None:
    with pytest.raises(grpc.RpcError) as failure:
        client.start(name)
    assert failure.value.code() == grpc.StatusCode.UNAVAILABLE
    assert error_info(failure.value).reason == "DEVICE_IN_USE"


@pytest.mark.bare
def test_second_session_on_a_camera_is_told_that_it_is_in_use(client):
    camera = client.cameras()[0].name
    with client.open_session(camera) as first, client.open_session(camera, start=False) as second:
        assert_in_use(client, second)
        client.stop(first)
        with client.stream_preview(second) as stream:
            client.start(second)
            next_frame(stream)


def test_camera_another_process_holds_is_in_use(client):
    camera = client.cameras()[0].name
    with client.open_session(camera, start=False) as name:
        with other_program(0):
            assert_in_use(client, name)
        client.start(name)
