import os
import signal

import grpc
import numpy as np
import pytest

import firstlight
from firstlight import processes
from test_processing import FakeDaemon, processing


def in_child(use):
    """The error of `use` in a forked child, as text; "" without one. Kills a child that hangs."""
    reading, writing = os.pipe()
    process = os.fork()
    if process == 0:
        signal.alarm(5)
        try:
            use()
        except Exception as error:
            os.write(writing, repr(error).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with open(reading) as told:
        text = told.read()
    assert os.waitpid(process, 0)[1] == 0, "the child hung"
    return text


def test_a_child_cannot_answer_frames_and_leaves_the_stream_to_its_parent():
    daemon = FakeDaemon(frames=2)
    with processing(daemon) as frames:
        next(frames)
        assert "FAILED_PRECONDITION" in in_child(lambda: frames.answer(picture=np.zeros((2, 4), np.uint8)))
        assert "FAILED_PRECONDITION" in in_child(lambda: next(frames))
        assert in_child(frames.close) == ""
        assert in_child(lambda: frames.__exit__(None, None, None)) == ""
        next(frames)
    assert len(daemon.requests_written()) == 2, "the start and the answer of the first frame"


def test_a_child_gets_the_error_before_a_connection():
    with firstlight.connect("127.0.0.1:1") as client:
        assert "FAILED_PRECONDITION" in in_child(client.server_info)
        assert "FAILED_PRECONDITION" in in_child(lambda: client.watch_session("sessions/x"))
        assert "FAILED_PRECONDITION" in in_child(lambda: grpc.channel_ready_future(client.channel))
        assert in_child(client.close) == ""


@pytest.mark.parametrize(
    ("variable", "version", "has", "usable"),
    [
        ("", "1.76.0", {"channel"}, True),
        ("", "1.76.0", {"channel", "stream"}, False),
        ("", "1.80.0", {"channel", "stream"}, True),
        ("", "2.0.0.dev0", {"stream"}, True),
        ("1", "1.76.0", {"channel", "stream"}, True),
        ("0", "1.85.3", {"channel"}, False),
        ("0", "1.85.3", set(), True),
        ("", "1.76.0", set(), True),
    ],
)
def test_whether_a_child_can_connect(monkeypatch, variable, version, has, usable):
    monkeypatch.setenv("GRPC_ENABLE_FORK_SUPPORT", variable)
    monkeypatch.setattr(grpc, "__version__", version)
    assert (processes._obstacle(has) == "") is usable


def test_a_stream_that_is_over_is_no_obstacle():
    stream = firstlight.Stream(iter([1]), lambda response: response)
    assert not stream._is_over
    assert list(stream) == [1]
    assert stream._is_over
