"""A writer: a movie on the daemon's machine, of pictures and sound of the program."""

from __future__ import annotations

import contextlib
import threading
from types import TracebackType
from typing import Any, Self

import grpc
import numpy as np

from firstlight import pixels, values
from firstlight.errors import FirstlightError
from firstlight.requests import Requests
from firstlight.streams import Stream
from firstlight.v1 import (
    asset_writer_pb2 as writer_pb2,
    asset_writer_service_pb2 as writers_pb2,
    asset_writer_service_pb2_grpc as writer_grpc,
)


class AssetWriter:
    """Writes one movie of pictures and sound that the program appends, or of an output of a session.

    `start` makes the file, `append` and `append_audio` add samples, and `finish` completes the movie. A `with` block
    starts the writer, and finishes it at its end, or cancels it when the block raises. The end of the block raises
    FirstlightError when the movie could not be completed. A writer is used once.

    Use a writer from one thread. Every method raises FirstlightError when the daemon refuses; `append` raises the
    error of an earlier sample, too. The writer then goes on: what was appended stays, and the next sample is appended
    as usual.
    """

    def __init__(
        self, stub: writer_grpc.AssetWriterServiceStub, configuration: writer_pb2.WriterConfiguration, *, timeout: float
    ) -> None:
        """Makes the writer on the daemon. Each call of the daemon may take `timeout` seconds."""
        self._stub, self._timeout = stub, timeout
        self._append: _Appending | None = None
        request = writers_pb2.CreateWriterRequest(writer_configuration=configuration)
        #: The writer as the daemon told last. `refresh` asks again.
        self.state: writer_pb2.AssetWriter = self._call(stub.CreateWriter, request).writer
        #: The resource name, `writers/{id}`.
        self.name: str = self.state.name

    @property
    def recording(self) -> str:
        """The resource name of the movie, `recordings/{id}`. Empty before `start`."""
        return self.state.recording_name

    def input(self, name: str = "video") -> writer_pb2.WriterInput:
        """An input of the writer as the daemon told last: whether it is ready, and what became of its samples."""
        appending = self._append
        state = appending.state if appending is not None and appending.state is not None else self.state
        return next(each for each in state.writer_inputs if each.input == name)

    def configure(self, configuration: writer_pb2.WriterConfiguration) -> None:
        """Replaces the configuration. Only before `start`."""
        request = writers_pb2.ConfigureWriterRequest(name=self.name, writer_configuration=configuration)
        self.state = self._call(self._stub.ConfigureWriter, request).writer

    def start(self) -> None:
        """Makes the file. From now on the writer takes samples."""
        self.state = self._call(self._stub.StartWriting, writers_pb2.StartWritingRequest(name=self.name)).writer

    def append(self, picture: np.ndarray | bytes | bytearray | memoryview, time_ns: int) -> None:
        """Appends a picture, which is shown from `time_ns` on, in nanoseconds of any clock that only goes forward.

        `picture` is an array in the shape and dtype that `Frame.as_array` gives for the writer's `pixel_format`, or the
        bytes of a picture. Waits while the daemon has not taken earlier pictures, unless the writer works in real time:
        then pictures that come too fast are refused, and `input().refused_sample_count` counts them.
        """
        if isinstance(picture, bytes | bytearray | memoryview):
            data = bytes(picture)
        else:
            video = self.state.writer_configuration.video_input
            data, size = pixels.packed(picture, video.pixel_format)
            if size != (video.size.width, video.size.height):
                raise ValueError(f"the array is a picture of {size}, and the writer takes {video.size}")
        self._put(writers_pb2.WriterSample(data=data, presentation_time_ns=_time(time_ns)))

    def append_audio(self, samples: np.ndarray | bytes, time_ns: int, input: str = "audio") -> None:
        """Appends sound, which begins at `time_ns`: an array with a column for each channel, at most one second long.

        The array has int16, or floats from -1 to 1; bytes are interleaved int16, the low byte first. Append sound and
        pictures side by side: they may be at most 2 s apart.
        """
        if not isinstance(samples, bytes):
            array = np.asarray(samples)
            if np.issubdtype(array.dtype, np.floating):
                array = (array.clip(-1, 1) * 32767).round().astype(np.int16)
            if array.dtype != np.int16:
                raise ValueError(f"sound is int16 or floats, not {array.dtype}")
            samples = array.astype("<i2").tobytes()
        self._put(writers_pb2.WriterSample(input=input, data=samples, presentation_time_ns=_time(time_ns)))

    def attach(self, session: str, output: str = "") -> None:
        """Lets the writer take all frames of a movie output of a session, and its sound, until `end_session`."""
        self._end_appending()
        request = writers_pb2.AttachToOutputRequest(
            name=self.name, session=values.text("session", session), output=values.text("output", output)
        )
        self.state = self._call(self._stub.AttachToOutput, request).writer

    def flush(self) -> writer_pb2.AssetWriter:
        """Waits until the daemon has taken everything that was appended, and returns the writer."""
        self._end_appending()
        return self.refresh()

    def refresh(self) -> writer_pb2.AssetWriter:
        """The writer as it is now."""
        self.state = self._call(self._stub.GetWriter, writers_pb2.GetWriterRequest(name=self.name)).writer
        return self.state

    def watch(self) -> Stream[writer_pb2.AssetWriter]:
        """Streams the writer now, and then whenever it changes, until it is over."""
        return Stream(self._stub.WatchWriter(writers_pb2.WatchWriterRequest(name=self.name)), lambda r: r.writer)

    def end_session(self) -> None:
        """Takes no more samples. `finish` does the same first."""
        self._end_appending()
        self.state = self._call(self._stub.EndSession, writers_pb2.EndSessionRequest(name=self.name)).writer

    def finish(self) -> writer_pb2.AssetWriter:
        """Completes the movie. Returns the writer, which is COMPLETED, or FAILED with an `error`."""
        self._end_appending()
        self.state = self._call(self._stub.FinishWriting, writers_pb2.FinishWritingRequest(name=self.name)).writer
        return self.state

    def cancel(self) -> None:
        """Cancels the writer, and removes its file."""
        if self._append is not None:
            self._append.cancel()
            self._append = None
        self.state = self._call(self._stub.CancelWriting, writers_pb2.CancelWritingRequest(name=self.name)).writer

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            # The program's own error says more than that of a writer which has ended already.
            with contextlib.suppress(FirstlightError):
                self.cancel()
            return
        try:
            self._end_appending()
        finally:
            if self.refresh().state == writer_pb2.AssetWriter.STATE_WRITING:
                self.finish()
        if self.state.state == writer_pb2.AssetWriter.STATE_FAILED:
            raise FirstlightError.from_status(self.state.error)

    def _put(self, sample: writers_pb2.WriterSample) -> None:
        if self._append is None:
            self._append = _Appending(self._stub, self.name, self._timeout)
        try:
            self._append.put(sample)
        except FirstlightError:
            self._take_append()
            raise

    def _end_appending(self) -> None:
        appending = self._append
        if appending is not None:
            try:
                appending.finish()
            finally:
                self._take_append()

    def _take_append(self) -> None:
        """Forgets the call of AppendSamples, and keeps what it told last."""
        appending, self._append = self._append, None
        if appending is not None and appending.state is not None:
            self.state = appending.state

    def _call(self, method: Any, request: Any) -> Any:
        try:
            return method(request, timeout=self._timeout)
        except grpc.RpcError as error:
            raise FirstlightError.from_rpc_error(error) from error


class _Appending:
    """One call of AppendSamples. A thread reads what the daemon tells, so that the program learns how far it is."""

    #: The most samples that the daemon has not taken yet.
    AHEAD = 4

    def __init__(self, stub: writer_grpc.AssetWriterServiceStub, name: str, timeout: float) -> None:
        self._timeout = timeout
        self._changed = threading.Condition()
        #: The newest state. None before the first.
        self.state: writer_pb2.AssetWriter | None = None
        self._sent = 0
        self._before = 0
        self._is_over = False
        self._error: FirstlightError | None = None
        self._requests: Requests[writers_pb2.AppendSamplesRequest] = Requests(
            writers_pb2.AppendSamplesRequest(writer_name=name)
        )
        self._answers = Stream(stub.AppendSamples(self._requests), lambda response: response.writer)
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def put(self, sample: writers_pb2.WriterSample) -> None:
        """Sends a sample when the daemon has taken or refused enough of those before."""
        self._answers._check_process()
        with self._changed:
            if not self._changed.wait_for(lambda: self._is_over or self._ahead() < self.AHEAD, self._timeout):
                raise TimeoutError("The daemon takes no samples: its disk or its encoder does not get on.")
            self._raise()
            self._sent += 1
        self._requests.put(writers_pb2.AppendSamplesRequest(sample=sample))

    def finish(self) -> None:
        """Waits until the daemon has taken all samples."""
        self._answers._check_process()
        self._requests.end()
        self._thread.join(self._timeout)
        if self._thread.is_alive():
            self.cancel()
            raise TimeoutError("The daemon takes no samples: its disk or its encoder does not get on.")
        self._raise()

    def cancel(self) -> None:
        """Ends the call at once; samples on their way are lost. In a forked child does nothing."""
        self._answers.close()
        if not self._answers._is_foreign:
            self._requests.end()

    def _ahead(self) -> int:
        """How many samples the daemon has not taken or refused, as far as it told. Called with the lock."""
        return self.AHEAD if self.state is None else self._sent - (_count(self.state) - self._before)

    def _raise(self) -> None:
        if self._error is not None:
            raise self._error

    def _read(self) -> None:
        try:
            for state in self._answers:
                with self._changed:
                    if self.state is None:
                        self._before = _count(state)
                    self.state = state
                    self._changed.notify_all()
        except FirstlightError as error:
            self._error = error
        with self._changed:
            self._is_over = True
            self._changed.notify_all()
        self._requests.end()


def _count(state: writer_pb2.AssetWriter) -> int:
    return sum(each.appended_sample_count + each.refused_sample_count for each in state.writer_inputs)


def _time(time_ns: int) -> int:
    return values.whole("time_ns", time_ns, values.UNSIGNED_64)
