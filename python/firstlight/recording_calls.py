"""The calls of the client that are about recordings."""

from __future__ import annotations

import pathlib
from collections.abc import Callable, Iterator

import grpc

from firstlight import values
from firstlight.calls import Calls
from firstlight.enums import MovieContainer
from firstlight.saving import save
from firstlight.streams import Stream
from firstlight.v1 import (
    recording_events_pb2,
    recording_pb2,
    recording_service_pb2 as recordings_pb2,
    recording_service_pb2_grpc as recording_grpc,
)


class RecordingCalls(Calls):
    """The methods of `Client` that make, list, fetch and delete recordings."""

    def __init__(self, channel: grpc.Channel, *, timeout: float) -> None:
        super().__init__(channel, timeout=timeout)
        self._recordings = recording_grpc.RecordingServiceStub(channel)

    def start_recording(
        self,
        session: str,
        file: str = "",
        *,
        output: str = "",
        container: MovieContainer | None = None,
        max_seconds: float | None = None,
        max_bytes: int | None = None,
        min_free_bytes: int | None = None,
        fragment_seconds: float | None = None,
        pre_roll: float | None = None,
        optimize_for_network_use: bool = False,
    ) -> Stream[recording_events_pb2.RecordingEvent]:
        """Starts a recording and streams its events, the last of which is `finished`.

        The recording goes on when the stream is closed, until `stop_recording`, a limit or the end of the session.

        - `file`: the path of the file below the daemon's folder of recordings. The daemon chooses one when it is empty.
        - `output`: the id of the movie output; empty for the main one.
        - `container`: the format of the file; None for MP4 where it holds the codec of the movie output.
        - `max_seconds`, `max_bytes`, `min_free_bytes`: the duration, the size of the file and the free space of the
          file system at which the recording ends; None for no limit.
        - `fragment_seconds`: the least duration of the parts in which the file grows; a crash costs at most about one
          part. None for 2.
        - `pre_roll`: how many seconds before this call the movie begins, at most the `max_pre_roll` of `movie_output`;
          None for a movie that begins with the next frame.
        - `optimize_for_network_use`: whether the finished file has its index in front, so that players on a network
          begin after a small download. Only for MP4 and QuickTime. The recording finishes later, by as long as the
          daemon takes to copy the file.
        """
        request = recordings_pb2.StartRecordingRequest(
            session=values.text("session", session),
            file=values.text("file", file),
            output=values.text("output", output),
            container=container,
            should_optimize_for_network_use=optimize_for_network_use,
        )
        if max_seconds is not None:
            request.recording_limits.max_recorded_duration.CopyFrom(values.duration("max_seconds", max_seconds))
        if max_bytes is not None:
            request.recording_limits.max_recorded_file_size = values.whole("max_bytes", max_bytes, values.UNSIGNED_64)
        if min_free_bytes is not None:
            least = values.whole("min_free_bytes", min_free_bytes, values.UNSIGNED_64)
            request.recording_limits.min_free_disk_space = least
        if fragment_seconds is not None:
            request.fragment_interval.CopyFrom(values.duration("fragment_seconds", fragment_seconds))
        if pre_roll is not None:
            request.pre_roll_duration.CopyFrom(values.duration("pre_roll", pre_roll))
        return Stream(self._recordings.StartRecording(request), lambda response: response.event)

    def stop_recording(self, recording: str) -> recording_pb2.Recording:
        """Stops a recording, and returns it when its file is complete and on the storage.

        A large recording with `optimize_for_network_use` may take longer than the timeout of the client. It then
        finishes by itself.
        """
        request = recordings_pb2.StopRecordingRequest(name=values.text("recording", recording))
        return self._call(self._recordings.StopRecording, request).recording

    def pause_recording(self, recording: str) -> recording_pb2.Recording:
        """Leaves frames out of a recording until `resume_recording`."""
        request = recordings_pb2.PauseRecordingRequest(name=values.text("recording", recording))
        return self._call(self._recordings.PauseRecording, request).recording

    def resume_recording(self, recording: str) -> recording_pb2.Recording:
        """Goes on with a recording, in the same file."""
        request = recordings_pb2.ResumeRecordingRequest(name=values.text("recording", recording))
        return self._call(self._recordings.ResumeRecording, request).recording

    def recording(self, recording: str) -> recording_pb2.Recording:
        """The recording as it is now."""
        request = recordings_pb2.GetRecordingRequest(name=values.text("recording", recording))
        return self._call(self._recordings.GetRecording, request).recording

    def recordings(
        self,
        session: str = "",
        *,
        output: str = "",
        state: recording_pb2.Recording.State | None = None,
        start: int | None = None,
        end: int | None = None,
    ) -> Iterator[recording_pb2.Recording]:
        """The recordings, the newest first: of one session or of all, of one movie output or of all, in one state or in
        any.

        They were requested from `start` on and before `end`, in nanoseconds since 1970; None is no limit.
        """
        request = recordings_pb2.ListRecordingsRequest(
            session=values.text("session", session), output=values.text("output", output), state=state
        )
        _limit(request, start, end)
        while True:
            response = self._call(self._recordings.ListRecordings, request)
            yield from response.recordings
            if not response.next_page_token:
                return
            request.page_token = response.next_page_token

    def delete_recording(self, recording: str) -> None:
        """Deletes a finished recording and its file."""
        request = recordings_pb2.DeleteRecordingRequest(name=values.text("recording", recording))
        self._call(self._recordings.DeleteRecording, request)

    def download_recording(
        self, recording: str, path: str | pathlib.Path, *, progress: Callable[[int], None] | None = None
    ) -> int:
        """Writes the file of a recording, as far as it plays now, to `path`. Returns the number of bytes.

        `progress` is called after each chunk with the number of bytes until then.

        The file must not exist: FileExistsError. When the download fails, the file has the bytes that came; without any
        bytes there is no file.
        """
        request = recordings_pb2.DownloadRecordingRequest(name=values.text("recording", recording))
        chunks = Stream(self._recordings.DownloadRecording(request), lambda response: response.data)
        return save(chunks, path, progress)

    def export_recording(
        self,
        session: str,
        start: int,
        seconds: float,
        path: str | pathlib.Path,
        *,
        output: str = "",
        exact: bool | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> int:
        """Writes one movie of the frames of a span of time to `path`. Returns the number of bytes.

        The movie has exactly the frames that were captured from `start` on, in nanoseconds since 1970, and less than
        `seconds` later, whatever recordings they are in. Its format is MP4, or QuickTime for a codec that MP4 does not
        hold.

        - `output`: the movie output; empty for the only one that recorded.
        - `exact`: whether the file holds no other frames, which is the default of the daemon. The frames before the
          first key frame of the span are then encoded anew. With False nothing is encoded anew, and the file may begin
          with up to 2 s from before the span, which players show that ignore edit lists, such as mpv and VLC.
        - `progress`: called after each chunk with the number of bytes until then.

        The file must not exist: FileExistsError. When the export fails, the file has the bytes that came; without any
        bytes there is no file.
        """
        request = recordings_pb2.ExportRecordingRequest(
            session=values.text("session", session),
            output=values.text("output", output),
            start_time=values.instant("start", start),
            duration=values.duration("seconds", seconds),
            exact=exact,
        )
        chunks = Stream(self._recordings.ExportRecording(request), lambda response: response.data)
        return save(chunks, path, progress)

    def recording_spans(
        self, session: str = "", *, output: str = "", start: int | None = None, end: int | None = None
    ) -> Iterator[recordings_pb2.RecordingSpan]:
        """The spans of time that were recorded without a gap by one camera, in the order of their times.

        They are those of one session or of all, of one movie output or of all, and of recordings that end after `start`
        and begin before `end`, in nanoseconds since 1970; None is no limit. Within its recordings a span may lack
        frames: `dropped` sums up what they lack as a whole, wherever it is missing. A pause ends a span. Any span and
        any part of it can be exported, up to 6 hours at a time.
        """
        request = recordings_pb2.ListRecordingSpansRequest(
            session=values.text("session", session), output=values.text("output", output)
        )
        _limit(request, start, end)
        while True:
            response = self._call(self._recordings.ListRecordingSpans, request)
            yield from response.recording_spans
            if not response.next_page_token:
                return
            request.page_token = response.next_page_token


def _limit(
    request: recordings_pb2.ListRecordingsRequest | recordings_pb2.ListRecordingSpansRequest,
    start: int | None,
    end: int | None,
) -> None:
    """Limits a list to a time, in nanoseconds since 1970."""
    if start is not None:
        request.start_time.CopyFrom(values.instant("start", start))
    if end is not None:
        request.end_time.CopyFrom(values.instant("end", end))
