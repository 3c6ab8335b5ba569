"""The calls of the client that are about the photo library."""

from __future__ import annotations

import pathlib
from collections.abc import Callable, Iterator, Sequence

import grpc

from firstlight import values
from firstlight.calls import Calls
from firstlight.saving import save
from firstlight.streams import Stream
from firstlight.v1 import (
    photo_library_service_pb2 as library_pb2,
    photo_library_service_pb2_grpc as library_grpc,
)


class LibraryCalls(Calls):
    """The methods of `Client` that keep photos, find them and delete them."""

    def __init__(self, channel: grpc.Channel, *, timeout: float) -> None:
        super().__init__(channel, timeout=timeout)
        self._library = library_grpc.PhotoLibraryServiceStub(channel)

    def perform_changes(self, changes: Sequence[library_pb2.AssetChange]) -> list[library_pb2.Asset]:
        """Makes all changes or none. Returns the assets that were created, in the order of the changes.

        When the method returns, the changes are on the storage of the daemon's machine.
        """
        request = library_pb2.PerformChangesRequest(changes=changes)
        return list(self._call(self._library.PerformChanges, request).assets)

    def save_capture(self, unique_id: str, *, bracket_index: int = 0) -> library_pb2.Asset:
        """Keeps the photo of a capture that the daemon still has, which is for 60 seconds."""
        file = f"captures/{values.text('unique_id', unique_id)}"
        resource = library_pb2.NewResource(
            type=library_pb2.NewResource.TYPE_PHOTO,
            file=file,
            bracket_index=values.whole("bracket_index", bracket_index, values.UNSIGNED_32),
        )
        return self._create(library_pb2.CreateAsset(resources=[resource]))

    def save_photo(self, data: bytes, *, session: str = "", device: str = "") -> library_pb2.Asset:
        """Keeps a JPEG or PNG file. `session` and `device` are resource names, for finding the asset later."""
        resource = library_pb2.NewResource(type=library_pb2.NewResource.TYPE_PHOTO, data=data)
        return self._create(
            library_pb2.CreateAsset(
                resources=[resource], session=values.text("session", session), device=values.text("device", device)
            )
        )

    def _create(self, asset: library_pb2.CreateAsset) -> library_pb2.Asset:
        return self.perform_changes([library_pb2.AssetChange(create_asset=asset)])[0]

    def delete_assets(self, *names: str) -> None:
        """Deletes assets by their resource names, all or none."""
        self.perform_changes([library_pb2.AssetChange(delete_asset=values.text("names", name)) for name in names])

    def assets(
        self, *, session: str = "", device: str = "", include_thumbnails: bool = False
    ) -> Iterator[library_pb2.Asset]:
        """The assets, those that were captured last first. Fetches the next page when it is needed.

        - `session`, `device`: resource names; only assets of this session or camera.
        - `include_thumbnails`: whether each asset has its `thumbnail`, a JPEG.
        """
        request = library_pb2.ListAssetsRequest(
            session=values.text("session", session),
            device=values.text("device", device),
            include_thumbnails=include_thumbnails,
        )
        while True:
            page = self._call(self._library.ListAssets, request)
            yield from page.assets
            request.page_token = page.next_page_token
            if not request.page_token:
                return

    def asset(self, name: str) -> library_pb2.Asset:
        """An asset by its resource name."""
        return self._call(self._library.GetAsset, library_pb2.GetAssetRequest(name=values.text("name", name))).asset

    def request_image(
        self, name: str, *, size: tuple[int, int] = (0, 0), allow_secondary_degraded_image: bool = False
    ) -> Stream[library_pb2.AssetImage]:
        """Streams pictures of an asset: a `degraded` one at once, where there is one, and then the wanted one.

        `size` is the width and the height into which the picture fits; (0, 0) for the photo's own file.
        """
        request = library_pb2.RequestImageRequest(
            name=values.text("name", name),
            target_width=values.whole("size", size[0], values.UNSIGNED_32),
            target_height=values.whole("size", size[1], values.UNSIGNED_32),
            allow_secondary_degraded_image=allow_secondary_degraded_image,
        )
        return Stream(self._library.RequestImage(request), lambda response: response.image)

    def download_asset(
        self, name: str, path: str | pathlib.Path, *, progress: Callable[[int], None] | None = None
    ) -> int:
        """Writes the file of an asset's photo to `path`, which must not exist. Returns the number of bytes.

        `progress` is called after each chunk with the number of bytes until then.
        """
        request = library_pb2.DownloadAssetRequest(name=values.text("name", name))
        return save(Stream(self._library.DownloadAsset(request), lambda response: response.data), path, progress)

    def watch_assets(self, after: str = "") -> Stream[library_pb2.AssetEvent]:
        """Streams what happens to assets, from the event after `after` on, or from now on."""
        request = library_pb2.WatchAssetsRequest(after_event_id=values.text("after", after))
        return Stream(self._library.WatchAssets(request), lambda response: response.event)
