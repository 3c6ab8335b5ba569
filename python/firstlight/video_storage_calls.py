"""The calls of the client that are about the video storage."""

from __future__ import annotations

import grpc

from firstlight import values
from firstlight.calls import Calls
from firstlight.streams import Stream
from firstlight.v1 import (
    video_storage_service_pb2 as storage_pb2,
    video_storage_service_pb2_grpc as storage_grpc,
)


class VideoStorageCalls(Calls):
    """The methods of `Client` that read and manage the video storage, which all clients share."""

    def __init__(self, channel: grpc.Channel, *, timeout: float) -> None:
        super().__init__(channel, timeout=timeout)
        self._video_storage = storage_grpc.VideoStorageServiceStub(channel)

    def video_storage(self) -> storage_pb2.VideoStorage:
        """The state of the video storage now.

        Without a capacity, `initial_capacity` is 0; -1 means that the storage cannot be read.
        """
        return self._call(self._video_storage.GetVideoStorage, storage_pb2.GetVideoStorageRequest()).video_storage

    def watch_video_storage(self) -> Stream[storage_pb2.VideoStorage]:
        """Streams the state of the video storage: the present one, then each newer one.

        A slow reader gets the newest one.
        """
        request = storage_pb2.WatchVideoStorageRequest()
        return Stream(self._video_storage.WatchVideoStorage(request), lambda r: r.video_storage)

    def replenish_video_storage(self) -> storage_pb2.VideoStorage:
        """Begins to replace what movies took. Returns the state at once; `watch_video_storage` tells the progress."""
        return self._call(
            self._video_storage.ReplenishVideoStorage, storage_pb2.ReplenishVideoStorageRequest()
        ).video_storage

    def set_video_storage_capacity(self, capacity: int) -> storage_pb2.VideoStorage:
        """Begins to bring the storage to a capacity in bytes. Returns the state at once, which is busy.

        Only operators may call it: over a Unix socket of the daemon (`connect("unix:/path")`), as the daemon's user or
        as root. Raises FirstlightError with the reason `OPERATOR_REQUIRED` for everybody else. A capacity of 0 removes
        the storage, and gives up a movie that cannot leave it.
        """
        request = storage_pb2.SetVideoStorageCapacityRequest(
            initial_capacity=values.whole("capacity", capacity, values.SIGNED_64)
        )
        return self._call(self._video_storage.SetVideoStorageCapacity, request).video_storage
