#!/usr/bin/env bash
# What grpcio does with the address of a Unix socket when http_proxy is in the environment. For unix:PATH it uses no proxy. For
# unix-abstract:NAME, the same kind of socket on the same machine, it connects to the proxy and asks it to CONNECT to the host NAME
# and port 443. The call fails, and the name of the socket leaves the machine (grpcio 1.85.3, and 1.76.0 as well). The option
# grpc.enable_http_proxy=0 of the channel avoids it.
set -eu
T=$(mktemp -d); trap 'rm -rf "$T"' EXIT
venv() { # also where Debian's python3-venv is missing
  python3 -m venv "$1" >/dev/null 2>&1 && return; rm -rf "$1"; python3 -m venv --without-pip "$1"; apt-get -qq update >/dev/null 2>&1 || :
  (cd "$T" && apt-get -qq -o APT::Sandbox::User=root download python3-pip-whl >/dev/null 2>&1 && dpkg -x python3-pip-whl_*.deb w); w=$(ls "$T"/w/usr/share/python-wheels/pip-*.whl); "$1/bin/python" "$w/pip" -q install --no-index "$w"
}
venv "$T/v"; "$T/v/bin/pip" -q install --no-compile --only-binary :all: grpcio==1.85.3 2>/dev/null
cat >"$T/t.py" <<'P'
import os, socket, sys, threading
from concurrent import futures
asked, proxy = [], socket.create_server(("127.0.0.1", 0))
def refuse():
    while True:
        client, _ = proxy.accept(); asked.append(client.recv(4096).split(b"\r\n")[0].decode()); client.sendall(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"); client.close()
threading.Thread(target=refuse, daemon=True).start()
for name in [each for each in os.environ if each.lower().endswith("_proxy")]: del os.environ[name]
os.environ["http_proxy"] = "http://127.0.0.1:%d" % proxy.getsockname()[1]
import grpc
class Echo(grpc.GenericRpcHandler):
    def service(self, details): return grpc.unary_unary_rpc_method_handler(lambda request, _: request)
server = grpc.server(futures.ThreadPoolExecutor(2), handlers=[Echo()]); name = "unix-abstract:echo-%d" % os.getpid(); path = "unix:" + sys.argv[1] + "/echo"
assert server.add_insecure_port(path) and server.add_insecure_port(name); server.start()
def call(address, *options):
    asked.clear()
    with grpc.insecure_channel(address, options=options) as channel:
        try: answer = channel.unary_unary("/a/b")(b"hello", timeout=10).decode()
        except grpc.RpcError as error: answer = error.code().name
    print(address.split(":")[0] + ":" + "".join(" %s=%d" % each for each in options), "->", answer, "| the proxy was asked:", asked[:1]); return answer, bool(asked)
print("grpcio", grpc.__version__)
ok = call(path) == ("hello", False) and call(name) == ("UNAVAILABLE", True) and call(name, ("grpc.enable_http_proxy", 0)) == ("hello", False)
server.stop(None); sys.stdout.flush(); os._exit(not ok)
P
"$T/v/bin/python" "$T/t.py" "$T"
