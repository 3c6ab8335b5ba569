#!/usr/bin/env bash
# What becomes of the beginning of a live stream that is recorded without encoding anew by FFmpeg with fflags=nobuffer, which many
# recipes for low latency name. libavformat throws away every packet that it read while it looked at the stream, unless the input
# can be sought, and says nothing: of 250 packets of MPEG-TS a pipe loses the first 21, the whole beginning up to 0.8 s, and a file
# with the same bytes none (PyAV 16.0.1, which has FFmpeg 8.0). A recording then begins later than the stream, with exit code 0.
# analyzeduration=500000, a look of at most half a second, loses nothing.
set -eu
T=$(mktemp -d); trap 'rm -rf "$T"' EXIT
venv() { # also where Debian's python3-venv is missing
  python3 -m venv "$1" >/dev/null 2>&1 && return; rm -rf "$1"; python3 -m venv --without-pip "$1"; apt-get -qq update >/dev/null 2>&1 || :
  (cd "$T" && apt-get -qq -o APT::Sandbox::User=root download python3-pip-whl >/dev/null 2>&1 && dpkg -x python3-pip-whl_*.deb w); w=$(ls "$T"/w/usr/share/python-wheels/pip-*.whl); "$1/bin/python" "$w/pip" -q install --no-index "$w"
}
venv "$T/v"; "$T/v/bin/pip" -q install --no-compile --only-binary :all: av==16.0.1 2>/dev/null
cat >"$T/t.py" <<'P'
import sys, av
T = sys.argv[1]; path = T + "/in.ts"
# ten seconds, 25 pictures a second, a key frame every two seconds
with av.open(path, "w", format="mpegts") as file:
    track = file.add_stream("libx264", rate=25, options={"g": "50", "tune": "zerolatency"}); track.width, track.height, track.pix_fmt = 320, 180, "yuv420p"
    for n in range(250):
        frame = av.VideoFrame(320, 180, "yuv420p"); frame.pts = n
        for k, plane in enumerate(frame.planes): plane.update(bytes((k * 90 + n + i * (k == 0)) & 255 for i in range(plane.buffer_size)))
        file.mux(track.encode(frame))
    file.mux(track.encode())
data = open(path, "rb").read()
class Pipe:  # has no seek, like a socket
    def __init__(self): self.taken = 0
    def read(self, count): piece = data[self.taken:self.taken + min(count, 1880)]; self.taken += len(piece); return piece
def look(source, **options):  # the share of the stream that was read when it was open, the packets, and the gap before the first one in seconds
    with av.open(source, format="mpegts", options=options) as file:
        track, read = file.streams.video[0], getattr(source, "taken", 0) / len(data); times = sorted(float(p.pts * track.time_base) for p in file.demux(track) if p.dts is not None)
        return round(read * 10, 1), len(times), times[0]
_, whole, start = look(path); print("PyAV", av.__version__, "libavformat", av.library_versions["libavformat"], "| file:", whole, "packets"); ok = whole == 250
for name, source, options in (("file, nobuffer", path, dict(fflags="nobuffer")), ("pipe", Pipe(), {}), ("pipe, nobuffer", Pipe(), dict(fflags="nobuffer")), ("pipe, analyzeduration=500000", Pipe(), dict(analyzeduration="500000"))):
    read, count, first = look(source, **options); missing = 250 - count
    print(f"{name}: {count} packets, the first {first - start:.1f} s late" + ("" if source is path else f", open after {read} s of the stream"))
    ok &= (missing > 15 and first - start > .5) if name == "pipe, nobuffer" else missing == 0
sys.exit(not ok)
P
"$T/v/bin/python" "$T/t.py" "$T"
