"""One preview reader as a process of its own, so that a test can stop it. It writes one line to a file for each frame.

A line holds the arrival and the capture time in nanoseconds of CLOCK_MONOTONIC, the sequence number and the bytes of
the picture.
"""

import argparse
import pathlib
import time

import grpc

import firstlight

#: The keywords of `Client.preview` that ask for each encoding, or for each pixel format of raw pictures.
WANTED = {
    "JPEG": {"encoding": firstlight.Encoding.JPEG},
    "H264": {"encoding": firstlight.Encoding.H264},
    "NV12": {"pixel_format": "NV12"},
    "YUYV": {"pixel_format": "YUYV"},
}

parser = argparse.ArgumentParser()
parser.add_argument("address")
parser.add_argument("session")
parser.add_argument("file", type=pathlib.Path)
parser.add_argument("--encoding", choices=WANTED, default="JPEG", help="or the pixel format of raw pictures")
parser.add_argument("--unacknowledged", type=int, default=0, help="as max_unacknowledged_frames")
parser.add_argument("--stock", action="store_true", help="use a channel as grpcio makes it, without our options")
parser.add_argument("--seconds-per-frame", type=float, default=0, help="how long a frame keeps this reader busy")
arguments = parser.parse_args()

channel = grpc.insecure_channel(arguments.address, options=() if arguments.stock else firstlight.CHANNEL_OPTIONS)
preview = firstlight.Client(channel).preview(
    arguments.session,
    **WANTED[arguments.encoding],
    max_unacknowledged_frames=arguments.unacknowledged,
)
with arguments.file.open("w", buffering=1) as file:
    for frame in preview:
        print(time.monotonic_ns(), frame.monotonic_time_ns, frame.sequence, len(frame.data), file=file)
        if arguments.seconds_per_frame:
            time.sleep(arguments.seconds_per_frame)
