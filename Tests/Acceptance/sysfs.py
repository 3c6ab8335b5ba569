"""A stand-in for /sys and /proc: thermal zones that a test heats, and other files that the test puts there."""

import pathlib


class SysfsTree:
    """Thermal zones and other files below `root`, laid out as the kernel does it."""

    def __init__(self, root: pathlib.Path) -> None:
        #: The folder for `--sysfs-root`.
        self.root = root
        #: The folder for `--procfs-root`. It has busy processors and the files that the test puts there.
        self.procfs = root.with_name(f"{root.name}-proc")
        self._zones = root / "class" / "thermal"
        self._zones.mkdir(parents=True)
        # With counters that stand still the processors never look idle, so the daemon does not measure the machine
        # while a test watches.
        self.put({"proc/stat": "cpu  1000 0 0 1000 0 0 0 0 0 0"})

    def rest(self) -> None:
        """Makes the processors look idle for a while, so that the daemon may measure the machine."""
        self.put({"proc/stat": "cpu  1000 0 0 9000 0 0 0 0 0 0"})

    def add_zone(self, celsius: float, kind: str = "x86_pkg_temp", **trips: float) -> str:
        """Adds a zone with trips such as `passive=80`, in degrees Celsius, and returns the name of the zone."""
        name = f"thermal_zone{sum(1 for _ in self._zones.iterdir())}"
        (self._zones / name).mkdir()
        self._write(f"{name}/type", kind)
        self.heat(name, celsius)
        for index, (trip, limit) in enumerate(trips.items()):
            self._write(f"{name}/trip_point_{index}_type", trip)
            self._write(f"{name}/trip_point_{index}_temp", f"{limit * 1000:.0f}")
        return name

    def heat(self, zone: str, celsius: float) -> None:
        """Sets a zone's temperature in degrees Celsius."""
        self._write(f"{zone}/temp", f"{celsius * 1000:.0f}")

    def put(self, files: dict[str, str]) -> None:
        """Writes files and their folders. Files below `proc/` go below the folder of `--procfs-root`."""
        for name, text in files.items():
            path = self.procfs / name.removeprefix("proc/") if name.startswith("proc/") else self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            # The file appears in one step. Otherwise the daemon might read half a file.
            draft = path.with_name(f".{path.name}")
            draft.write_text(text + "\n")
            draft.replace(path)

    def _write(self, file: str, text: str) -> None:
        (self._zones / file).write_text(text + "\n")
