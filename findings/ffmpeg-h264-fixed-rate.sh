#!/usr/bin/env bash
# FFmpeg's filter h264_metadata has an option fixed_frame_rate_flag, and cannot change that flag in a stream of x264. Without HRD
# parameters a stream does not code low_delay_hrd_flag, and a decoder takes 1 - fixed_frame_rate_flag for it (H.264, E.2.1). The
# filter keeps the inferred value of before, so that writing the parameter set fails with "Invalid data found" and the whole access
# unit is lost. Setting the flag to the value that it has works, and so does tick_rate, with which the rate can be corrected and the
# promise of even times cannot (PyAV 16.0.1, which has FFmpeg 8.0; the ffmpeg 5.1.9 of Debian 12 does the same).
set -eu
T=$(mktemp -d); trap 'rm -rf "$T"' EXIT
venv() { # also where Debian's python3-venv is missing
  python3 -m venv "$1" >/dev/null 2>&1 && return; rm -rf "$1"; python3 -m venv --without-pip "$1"; apt-get -qq update >/dev/null 2>&1 || :
  (cd "$T" && apt-get -qq -o APT::Sandbox::User=root download python3-pip-whl >/dev/null 2>&1 && dpkg -x python3-pip-whl_*.deb w); w=$(ls "$T"/w/usr/share/python-wheels/pip-*.whl); "$1/bin/python" "$w/pip" -q install --no-index "$w"
}
venv "$T/v"; "$T/v/bin/pip" -q install --no-compile --only-binary :all: av==16.0.1 2>/dev/null
cat >"$T/t.py" <<'P'
import io, sys
from fractions import Fraction
import av
from av.bitstream import BitStreamFilterContext
def picture(tune):  # a key frame with its parameter sets, in annex B; zerolatency promises even times, and film does not
    encoder = av.CodecContext.create("libx264", "w"); encoder.width, encoder.height, encoder.pix_fmt = 320, 180, "yuv420p"
    encoder.time_base, encoder.framerate, encoder.options = Fraction(1, 30), Fraction(30, 1), {"tune": tune}
    frame = av.VideoFrame(320, 180, "yuv420p"); frame.pts = 0
    for plane in frame.planes: plane.update(bytes(plane.buffer_size))
    return (encoder.encode(frame) + encoder.encode(None))[0]
stream = av.open(io.BytesIO(), "w", format="h264").add_stream("libx264", rate=30)
def filtered(tune, options):
    try: return f"{len(BitStreamFilterContext('h264_metadata' + options, stream).filter(picture(tune)))} packet"
    except av.error.InvalidDataError as error: return error.strerror
print("PyAV", av.__version__, "libavcodec", av.library_versions["libavcodec"]); ok = True
lost, kept = "Invalid data found when processing input", "1 packet"
for tune, has in (("zerolatency", 1), ("film", 0)):
    for options, wanted in (("", kept), ("=tick_rate=120/1", kept), (f"=fixed_frame_rate_flag={has}", kept), (f"=fixed_frame_rate_flag={1 - has}", lost)):
        found = filtered(tune, options); ok &= found == wanted
        print(f"x264 tuned for {tune}, whose flag is {has}, h264_metadata{options}: {found}")
sys.exit(not ok)
P
"$T/v/bin/python" "$T/t.py" "$T"
