#!/usr/bin/env bash
# mpv 0.35.1 and VLC 3.0 (Debian 12) ignore the edit list with which a copied clip of an MP4 hides the frames between the
# key frame before the cut and the cut: both show them. FFmpeg 5.1 and GStreamer 1.22 hide them, and so do browsers. Whoever
# cuts something away with "ffmpeg -ss 1.5 -c copy" (or with any tool that writes an edit list) still hands it out.
set -eu
T=$(mktemp -d); trap 'rm -rf "$T"' EXIT
apt() { apt-get -qq -y -o APT::Sandbox::User=root -o Debug::NoLocking=1 -o Dir::Cache::archives="$T/a" "$@" >/dev/null 2>&1; }
mkdir -p "$T/a/partial" "$T/r"; apt update || :
apt -d --no-install-recommends install mpv=0.35.1-4 vlc-bin=3.0.24-0+deb12u1 vlc-plugin-base=3.0.24-0+deb12u1 ffmpeg gstreamer1.0-tools gstreamer1.0-libav gstreamer1.0-plugins-base gstreamer1.0-plugins-good
for p in "$T"/a/*.deb; do dpkg -x "$p" "$T/r"; done
L="$T/r/usr/lib/x86_64-linux-gnu"; export LD_LIBRARY_PATH="$L:$L/pulseaudio:$L/blas:$L/lapack" PATH="$T/r/usr/bin:$PATH" HOME="$T" XDG_RUNTIME_DIR="$T"
export GST_PLUGIN_PATH="$L/gstreamer-1.0" GST_REGISTRY="$T/registry" GST_PLUGIN_SCANNER="$L/gstreamer1.0/gstreamer-1.0/gst-plugin-scanner" VLC_PLUGIN_PATH="$L/vlc/plugins"
cp -L "$(command -v vlc)" "$T/vlc"; sed -i s/geteuid/getppid/ "$T/vlc" # VLC refuses to run as root
cd "$T"
ffmpeg -v error -f lavfi -i testsrc2=size=320x180:rate=30:duration=4 -c:v libx264 -preset veryfast -bf 0 -g 30 -pix_fmt yuv420p whole.mp4
ffmpeg -v error -ss 1.5 -i whole.mp4 -c copy clip.mp4 # 75 frames from the frame 45 on; the key frame before it is the frame 30
{ mpv --version | head -1; "$T/vlc" --version 2>/dev/null | head -1; ffmpeg -version | head -1; gst-launch-1.0 --version 2>/dev/null | head -1; } || :
mkdir mpv vlcs gst
f=$(ffmpeg -v error -i clip.mp4 -f framemd5 - | grep -vc '^#')
mpv --no-config --really-quiet --vo=image --vo-image-outdir=mpv --untimed --no-audio clip.mp4 >/dev/null 2>&1 || :
"$T/vlc" -I dummy --no-audio --vout=dummy --video-filter=scene --scene-format=png --scene-ratio=1 --scene-path=vlcs --no-skip-frames --no-drop-late-frames --play-and-exit clip.mp4 vlc://quit >/dev/null 2>&1 || :
gst-launch-1.0 -q filesrc location=clip.mp4 ! qtdemux ! avdec_h264 ! videoconvert ! pngenc ! multifilesink location=gst/%05d.png >/dev/null 2>&1 || :
m=$(find mpv -type f | wc -l); v=$(find vlcs -type f | wc -l); g=$(find gst -type f | wc -l)
echo "frames shown of a clip of 75 frames that hides 15: FFmpeg $f, GStreamer $g, mpv $m, VLC $v"
# VLC's filter may not see the last frame.
[ "$f" = 75 ] && [ "$g" = 75 ] && [ "$m" = 90 ] && [ "$v" -ge 88 ]
