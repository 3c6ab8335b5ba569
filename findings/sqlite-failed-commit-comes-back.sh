#!/usr/bin/env bash
# SQLite in WAL mode: a COMMIT that fails may be there after a crash all the same. The commit goes into the log before the log is synced. When
# the sync fails (synchronous=FULL), COMMIT returns SQLITE_IOERR_FSYNC, the transaction is rolled back, and neither this connection nor
# another one sees it. But its frames stay valid in the log, and whoever opens the files after a crash recovers it: a row that was refused is
# there, and one whose deletion was refused is gone. Only the next commit, which overwrites the frames, or a checkpoint that empties the log
# ends this. Whoever keeps files beside the rows must not undo them at once when a COMMIT fails (APSW 3.54.1.0, which has SQLite 3.54.1).
set -eu
T=$(mktemp -d); trap 'rm -rf "$T"' EXIT
venv() { # also where Debian's python3-venv is missing
  python3 -m venv "$1" >/dev/null 2>&1 && return; rm -rf "$1"; python3 -m venv --without-pip "$1"; apt-get -qq update >/dev/null 2>&1 || :
  (cd "$T" && apt-get -qq -o APT::Sandbox::User=root download python3-pip-whl >/dev/null 2>&1 && dpkg -x python3-pip-whl_*.deb w); w=$(ls "$T"/w/usr/share/python-wheels/pip-*.whl); "$1/bin/python" "$w/pip" -q install --no-index "$w"
}
venv "$T/v"; "$T/v/bin/pip" -q install --no-compile --only-binary :all: apsw==3.54.1.0 2>/dev/null
cat >"$T/t.py" <<'P'
import pathlib, shutil, sys, tempfile
import apsw
fails = False
class File(apsw.VFSFile):  # a file whose sync can fail, as that of a disk that has gone
    def __init__(self, name, flags):
        super().__init__("", name, flags)
        self.path = name.filename() if isinstance(name, apsw.URIFilename) else str(name)
    def xSync(self, flags):
        if fails and self.path.endswith("-wal"): raise apsw.IOError("the sync failed")
        super().xSync(flags)
class Disk(apsw.VFS):
    def __init__(self): super().__init__("disk", "")
    def xOpen(self, name, flags): return File(name, flags)
disk, folder = Disk(), pathlib.Path(tempfile.mkdtemp(dir=sys.argv[1]))
def rows(connection): return [row for (row,) in connection.execute("SELECT x FROM t ORDER BY rowid")]
def after_a_crash():  # what a copy of the files has, which nobody has closed
    copy = tempfile.mkdtemp(dir=sys.argv[1])
    for file in folder.glob("a.sqlite*"):
        if not file.name.endswith("-shm"): shutil.copy(file, copy)
    return rows(apsw.Connection(f"{copy}/a.sqlite"))
def commit(statement):
    try: writer.execute(statement)
    except apsw.Error as error: return type(error).__name__
    return "done"
writer = apsw.Connection(str(folder / "a.sqlite"), vfs="disk")
writer.execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE t(x); INSERT INTO t VALUES('kept')").fetchall()
found = []
for statement in ("INSERT INTO t VALUES('refused')", "DELETE FROM t WHERE x='kept'"):
    fails = True; outcome = commit(statement); fails = False
    found.append((outcome, rows(writer), rows(apsw.Connection(str(folder / "a.sqlite"))), after_a_crash()))
    print(f"{statement}: {outcome}; here {found[-1][1]}, in another connection {found[-1][2]}, after a crash {found[-1][3]}")
found.append((commit("INSERT INTO t VALUES('next')"), rows(writer), after_a_crash()))
print(f"a further commit: {found[-1][0]}; here {found[-1][1]}, after a crash {found[-1][2]}")
print("APSW", apsw.apsw_version(), "SQLite", apsw.sqlite_lib_version())
kept = ["kept"]
sys.exit(found != [("IOError", kept, kept, ["kept", "refused"]), ("IOError", kept, kept, []), ("done", ["kept", "next"], ["kept", "next"])])
P
"$T/v/bin/python" "$T/t.py" "$T"
