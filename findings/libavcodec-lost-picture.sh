#!/usr/bin/env bash
# libavcodec does not tell that a picture of H.264 is missing. After one lost P picture (a gap in frame_num, H.264, 7.4.3) the decoder
# makes the lost picture up and applies the differences of the following ones to it, so that every picture up to the next key frame shows
# something that no camera saw. None of them is marked (AV_FRAME_FLAG_CORRUPT) and no error comes, with err_detect=explode either. The
# only setting that changes a flag, ec=0, marks all pictures, also those before the loss. The decoder of HEVC does otherwise: it gives
# no picture any more until the next key frame, without an error unless err_detect=explode asks for one. Whoever decodes what may have
# gaps has to count the pictures himself (PyAV 16.0.1, which has FFmpeg 8.0).
set -eu
T=$(mktemp -d); trap 'rm -rf "$T"' EXIT
venv() { # also where Debian's python3-venv is missing
  python3 -m venv "$1" >/dev/null 2>&1 && return; rm -rf "$1"; python3 -m venv --without-pip "$1"; apt-get -qq update >/dev/null 2>&1 || :
  (cd "$T" && apt-get -qq -o APT::Sandbox::User=root download python3-pip-whl >/dev/null 2>&1 && dpkg -x python3-pip-whl_*.deb w); w=$(ls "$T"/w/usr/share/python-wheels/pip-*.whl); "$1/bin/python" "$w/pip" -q install --no-index "$w"
}
venv "$T/v"; "$T/v/bin/pip" -q install --no-compile --only-binary :all: av==16.0.1 2>/dev/null
cat >"$T/t.py" <<'P'
import sys
from fractions import Fraction
import av
WIDTH, HEIGHT, COUNT, LOST = 320, 240, 30, 10
def luma(frame): return bytes(frame.planes[0])[frame.planes[0].line_size * 100 + 100]
def clip(codec, options):  # grey pictures, each brighter by 6 than the one before; only the first is a key frame
    encoder = av.CodecContext.create(codec, "w"); encoder.width, encoder.height, encoder.pix_fmt = WIDTH, HEIGHT, "yuv420p"
    encoder.time_base, encoder.framerate, encoder.options, packets = Fraction(1, 30), Fraction(30, 1), options, []
    for number in range(COUNT):
        frame = av.VideoFrame(WIDTH, HEIGHT, "yuv420p"); frame.pts = number
        for plane, value in zip(frame.planes, (24 + 6 * number, 128, 128)): plane.update(bytes([value]) * plane.buffer_size)
        packets += encoder.encode(frame)
    return [bytes(packet) for packet in packets + encoder.encode(None)]
def decoded(codec, packets, **options):  # for each picture: what it shows, and whether it is marked; and the number of errors
    decoder = av.CodecContext.create(codec, "r"); decoder.thread_count, decoder.options = 1, options
    found, errors = [], 0
    for packet in [*map(av.Packet, packets), None]:
        try: found += [(round((luma(frame) - 24) / 6), frame.is_corrupt) for frame in decoder.decode(packet)]
        except av.error.FFmpegError: errors += 1
    return [number for number, _ in found], sum(mark for _, mark in found), errors
print("PyAV", av.__version__, "libavcodec", av.library_versions["libavcodec"]); ok = True
made_up, cut_off = [*range(COUNT - 1)], [*range(LOST)]  # picture 11 looks like 10, 12 like 11, and so on
for codec, encoder, options, cases in (
    ("h264", "libx264", {"x264-params": "bframes=0:scenecut=0:keyint=250:ref=1"},
     (({}, made_up, 0, 0), ({"err_detect": "explode"}, made_up, 0, 0), ({"ec": "0"}, made_up, COUNT - 1, 0))),
    ("hevc", "libx265", {"x265-params": "bframes=0:scenecut=0:keyint=250:log-level=none"},
     (({}, cut_off, 0, 0), ({"err_detect": "explode"}, cut_off, 0, COUNT - 1 - LOST))),
):
    packets = clip(encoder, options); whole = decoded(codec, packets); ok &= whole == ([*range(COUNT)], 0, 0)
    print(f"{codec}, {len(packets)} pictures: shows {whole[0][0]} to {whole[0][-1]}, {whole[1]} marked, {whole[2]} errors")
    for setting, *wanted in cases:
        found = decoded(codec, packets[:LOST] + packets[LOST + 1:], **setting); ok &= found == tuple(wanted)
        print(f"{codec} without picture {LOST}, {setting or 'defaults'}: {len(found[0])} pictures that show 0 to {found[0][-1]}, {found[1]} marked, {found[2]} errors")
sys.exit(not ok)
P
"$T/v/bin/python" "$T/t.py"
