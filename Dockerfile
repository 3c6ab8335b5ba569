# docker build -t firstlight .
# docker run -p 127.0.0.1:50051:50051 --device /dev/video0 firstlight
#
# Run one container per camera host. Where cameras come and go, hand over the folder /dev instead of single nodes, and
# let the daemon read the kernel's announcements from the host's network: -v /dev:/dev --device-cgroup-rule 'c 81:* rmw'
# --network host (the port is then open on every address of the host, so bind it by --listen).
#
# Without further options the daemon notices a sleep of the host only after waking. To have cameras closed before the
# sleep, let the daemon hear logind: -v /run/dbus/system_bus_socket:/run/dbus/system_bus_socket

FROM swift:6.3-bookworm AS build
WORKDIR /src
COPY scripts/packages scripts/
RUN apt-get update \
 && awk '$1 == "build" { $1 = ""; print }' scripts/packages | xargs apt-get install -y --no-install-recommends
COPY Package.swift Package.resolved* ./
RUN swift package resolve
COPY Sources Sources
# Package.swift names the folder, so it must exist.
COPY Tests Tests
RUN swift build -c release --static-swift-stdlib --product firstlightd \
 && strip "$(swift build -c release --static-swift-stdlib --show-bin-path)/firstlightd" -o firstlightd

# scripts/rehearse-image runs the steps of this stage in a plain Debian root.
FROM debian:12-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends \
    fonts-dejavu-core libasound2 libavcodec59 libavformat59 libcairo2 libexif12 libgrpc++1.51 libheif1 libjpeg62-turbo \
    libpng16-16 libsqlite3-0 libsystemd0 libv4lconvert0 libyuv0 zlib1g \
 && rm -rf /var/lib/apt/lists/*
RUN useradd --system --no-create-home --home-dir /var/lib/firstlight --groups video,audio firstlight \
 && install -d -o firstlight -g firstlight -m 750 /var/lib/firstlight /run/firstlight
COPY --from=build /src/firstlightd /usr/bin/firstlightd
COPY deploy/firstlight.yaml /etc/firstlight/firstlight.yaml
USER firstlight
VOLUME /var/lib/firstlight
EXPOSE 50051 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=5s CMD ["firstlightd", "healthcheck"]
ENTRYPOINT ["firstlightd"]
# The daemon listens on all addresses, because clients outside of the container cannot reach its loopback interface.
# `docker run -p` decides which port is published, and to whom.
CMD ["serve", "--config", "/etc/firstlight/firstlight.yaml", "--listen", "0.0.0.0:50051", "--http-listen", "0.0.0.0:8080"]
