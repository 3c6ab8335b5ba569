"""The writer of the client, against a daemon that is played."""

import queue
import threading

import grpc
import numpy as np
import pytest
from google.rpc import status_pb2

import firstlight
from firstlight import AssetWriter, FirstlightError
from firstlight.v1 import asset_writer_pb2 as writer_pb2, asset_writer_service_pb2 as writers_pb2
from test_errors import FakeRpcError

TIMEOUT = 8.0


class FakeDaemon:
    """Replaces the stub, and its calls of AppendSamples. Takes the samples that `taken` allows."""

    def __init__(self, configuration, taken=1 << 20, error=None):
        self.configuration, self.error = configuration, error
        self.allowed = threading.Semaphore(taken)
        self.samples, self.answers, self.calls = [], queue.Queue(), []
        #: The errors of calls, by name, and the error with which the writer has ended.
        self.fails, self.failure = {}, None

    def state(self, state=writer_pb2.AssetWriter.STATE_WRITING):
        inputs = [writer_pb2.WriterInput(input="video", appended_sample_count=len(self.samples))]
        return writer_pb2.AssetWriter(
            name="writers/w", state=state, writer_configuration=self.configuration, writer_inputs=inputs
        )

    def __getattr__(self, name):
        def answer(request, timeout):
            self.calls.append(name)
            if name in self.fails:
                raise self.fails[name]
            if self.failure is not None:
                failed = self.state(writer_pb2.AssetWriter.STATE_FAILED)
                failed.error.CopyFrom(self.failure)
                return getattr(writers_pb2, f"{name}Response")(writer=failed)
            ended = writer_pb2.AssetWriter.STATE_COMPLETED
            state = self.state(ended) if name == "FinishWriting" else self.state()
            return getattr(writers_pb2, f"{name}Response")(writer=state)

        return answer

    def AppendSamples(self, requests):
        self.answers.put(self.state())
        # As gRPC does, one thread reads the requests, also those that the daemon does not take yet.
        sent = queue.Queue()
        threading.Thread(target=lambda: [*map(sent.put, requests), sent.put(None)], daemon=True).start()
        threading.Thread(target=self.take, args=(sent,), daemon=True).start()
        return self

    def take(self, sent):
        assert sent.get().writer_name == "writers/w"
        for request in iter(sent.get, None):
            if self.error is not None:
                break
            self.allowed.acquire()
            self.samples.append(request.sample)
            self.answers.put(self.state())
        self.answers.put(None)

    def __next__(self):
        state = self.answers.get(timeout=TIMEOUT)
        if state is None:
            raise self.error or StopIteration
        return writers_pb2.AppendSamplesResponse(writer=state)

    def cancel(self):
        self.answers.put(None)


def writer(daemon):
    return AssetWriter(daemon, daemon.configuration, timeout=TIMEOUT)


def grey(**settings):
    return firstlight.writer_configuration((4, 2), pixel_format="GREY", **settings)


def test_arrays_become_samples():
    daemon = FakeDaemon(grey(audio=[firstlight.audio_input()]))
    with writer(daemon) as made:
        made.append(np.arange(8, dtype=np.uint8).reshape(2, 4), 5)
        made.append(b"12345678", np.int64(6))
        made.append_audio(np.array([[0.0, 1.0], [-1.0, 2.0]]), 7)
        made.append_audio(np.array([[1, -2]], np.int16), 8)
    assert [each.presentation_time_ns for each in daemon.samples] == [5, 6, 7, 8]
    assert [each.input for each in daemon.samples] == ["", "", "audio", "audio"]
    assert daemon.samples[0].data == bytes(range(8))
    assert np.frombuffer(daemon.samples[2].data, "<i2").tolist() == [0, 32767, -32767, 32767]
    assert np.frombuffer(daemon.samples[3].data, "<i2").tolist() == [1, -2]
    assert daemon.calls == ["CreateWriter", "StartWriting", "GetWriter", "FinishWriting"]
    assert made.state.state == writer_pb2.AssetWriter.STATE_COMPLETED


def test_a_program_is_at_most_four_samples_ahead():
    daemon = FakeDaemon(grey(), taken=0)
    made = writer(daemon)
    sent = threading.Semaphore(0)

    def append():
        for time in range(6):
            made.append(bytes(8), time)
            sent.release()

    program = threading.Thread(target=append, daemon=True)
    program.start()
    for _ in range(4):
        assert sent.acquire(timeout=TIMEOUT)
    daemon.allowed.release()
    assert sent.acquire(timeout=TIMEOUT)
    assert len(daemon.samples) == 1
    daemon.allowed.release(9)
    program.join(TIMEOUT)
    assert made.flush().writer_inputs[0].appended_sample_count == 6


def test_a_refusal_is_raised_and_another_call_follows():
    daemon = FakeDaemon(grey(), error=FakeRpcError(grpc.StatusCode.INVALID_ARGUMENT, "no"))
    made = writer(daemon)
    made.append(bytes(8), 0)
    with pytest.raises(FirstlightError) as raised:
        made.flush()
    assert raised.value.code is grpc.StatusCode.INVALID_ARGUMENT
    daemon.error = None
    made.append(bytes(8), 1)
    made.flush()
    assert len(daemon.samples) == 1


def test_a_block_that_raises_cancels_the_writer():
    daemon = FakeDaemon(grey())

    def fail():
        with writer(daemon) as made:
            made.append(bytes(8), 0)
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert daemon.calls[-1] == "CancelWriting"


def test_the_error_of_the_block_outlives_a_writer_that_cannot_be_cancelled():
    daemon = FakeDaemon(grey())
    daemon.fails["CancelWriting"] = FakeRpcError(grpc.StatusCode.FAILED_PRECONDITION, "it has ended")

    def fail():
        with writer(daemon):
            raise KeyError

    with pytest.raises(KeyError):
        fail()


def test_the_end_of_a_block_raises_the_error_of_the_last_sample_and_finishes_the_movie():
    daemon = FakeDaemon(grey(), error=FakeRpcError(grpc.StatusCode.INVALID_ARGUMENT, "no"))

    def write():
        with writer(daemon) as made:
            made.append(bytes(8), 0)

    with pytest.raises(FirstlightError) as raised:
        write()
    assert raised.value.code is grpc.StatusCode.INVALID_ARGUMENT
    assert daemon.calls[-1] == "FinishWriting"


def test_the_end_of_a_block_raises_when_the_writer_has_failed():
    daemon = FakeDaemon(grey())

    def write():
        with writer(daemon):
            daemon.failure = status_pb2.Status(code=grpc.StatusCode.RESOURCE_EXHAUSTED.value[0], message="full")

    with pytest.raises(FirstlightError) as raised:
        write()
    assert raised.value.code is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert daemon.calls[-1] == "GetWriter"


@pytest.mark.parametrize("array", [np.zeros((2, 4), np.int16), np.zeros((2, 5), np.uint8), np.zeros(8, np.uint8)])
def test_an_array_of_another_form_is_refused(array):
    daemon = FakeDaemon(grey())
    with pytest.raises(ValueError, match="array"):
        writer(daemon).append(array, 0)
    assert daemon.samples == []


def test_sound_of_another_type_is_refused():
    with pytest.raises(ValueError, match="int16"):
        writer(FakeDaemon(grey())).append_audio(np.zeros((4, 1), np.int32), 0)


def test_the_configuration_has_what_was_asked_for():
    made = grey(file="a", frame_rate=25, quality=50, idle_timeout=5, fragment_seconds=0.5, real_time=True)
    assert (made.file, made.video_input.frame_rate.numerator, made.video_input.quality) == ("a", 25, 50)
    assert (made.idle_timeout.seconds, made.fragment_interval.nanos) == (5, 500_000_000)
    assert made.expects_media_data_in_real_time
    assert not made.video_input.HasField("average_bit_rate")
    assert not grey().HasField("idle_timeout")
