"""StreamPreview as Python's grpcio would serve it with asyncio. It does the same as native_server, which explains the
usage.
"""

from __future__ import annotations

import asyncio
import itertools
import sys
import time
from collections.abc import AsyncIterator

import grpc

from firstlight.v1 import preview_service_pb2 as preview_pb2, types_pb2

WIDTH = 320


class Camera(grpc.GenericRpcHandler):
    """Makes frames at a steady rate and encodes each once for all subscribers. A subscriber that is slower gets the
    newest.
    """

    def __init__(self, payload: int, rate: int) -> None:
        """Prepares the camera. Frames begin with `run`."""
        self._payload = payload
        self._period = 1 / rate
        self._newest = (0, b"")
        self._subscribers = 0
        self._next: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def run(self) -> None:
        """Makes frames and never returns."""
        due = time.monotonic()
        for sequence in itertools.count():
            due += self._period
            await asyncio.sleep(due - time.monotonic())
            pixels = bytes([sequence & 0xFF]) * self._payload
            # Without a subscriber nothing is encoded. Otherwise encoding would count as the cost of a camera without
            # subscribers.
            if not self._subscribers:
                continue
            frame = preview_pb2.PreviewFrame(
                input="python",
                stream_id=1,
                sequence=sequence,
                monotonic_time_ns=int(due * 1e9),
                width=WIDTH,
                height=self._payload // (2 * WIDTH),
                encoding=types_pb2.ENCODING_UNCOMPRESSED,
                pixel_format="YUYV",
                key_frame=True,
                data=pixels,
            )
            self._newest = (sequence + 1, preview_pb2.StreamPreviewResponse(frame=frame).SerializeToString())
            done, self._next = self._next, asyncio.get_running_loop().create_future()
            done.set_result(None)

    def service(self, details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler | None:
        """The handler of the only method. Its messages are bytes already."""
        if details.method != "/firstlight.v1.PreviewService/StreamPreview":
            return None
        return grpc.unary_stream_rpc_method_handler(self._stream)

    async def _stream(self, _request: bytes, _context: grpc.aio.ServicerContext) -> AsyncIterator[bytes]:
        sent, _ = self._newest
        self._subscribers += 1
        try:
            while True:
                number, message = self._newest
                if number == sent:
                    await asyncio.shield(self._next)
                    continue
                sent = number
                yield message
        finally:
            self._subscribers -= 1


async def main(payload: int, rate: int) -> None:
    """Serves until the process is killed."""
    server = grpc.aio.server(options=[("grpc.max_send_message_length", -1)])
    camera = Camera(payload, rate)
    server.add_generic_rpc_handlers((camera,))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    print(f"listening on 127.0.0.1:{port}", flush=True)
    await camera.run()


asyncio.run(main(int(sys.argv[1]), int(sys.argv[2])))
