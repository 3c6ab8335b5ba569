"""A stand-in for /sys and /proc: thermal zones that a test heats, and whatever else it puts there."""

import pathlib


class SysfsTree:
    """Thermal zones and other files below `root`, laid out as the kernel does."""

    def __init__(self, root: pathlib.Path) -> None:
        #: What `--sysfs-root` gets.
        self.root = root
        #: What `--procfs-root` gets; busy processors, and what a test puts there.
        self.procfs = root.with_name(f"{root.name}-proc")
        self._zones = root / "class" / "thermal"
        self._zones.mkdir(parents=True)
        # Processors whose time stands still are never idle, so that the machine is not measured while a test watches.
        self.put({"proc/stat": "cpu  1000 0 0 1000 0 0 0 0 0 0"})

    def rest(self) -> None:
        """The processors had nothing to do for a while: the daemon may measure the machine."""
        self.put({"proc/stat": "cpu  1000 0 0 9000 0 0 0 0 0 0"})

    def add_zone(self, celsius: float, kind: str = "x86_pkg_temp", **trips: float) -> str:
        """Adds a zone with trips such as `passive=80`; returns its name."""
        name = f"thermal_zone{sum(1 for _ in self._zones.iterdir())}"
        (self._zones / name).mkdir()
        self._write(f"{name}/type", kind)
        self.heat(name, celsius)
        for index, (trip, limit) in enumerate(trips.items()):
            self._write(f"{name}/trip_point_{index}_type", trip)
            self._write(f"{name}/trip_point_{index}_temp", f"{limit * 1000:.0f}")
        return name

    def heat(self, zone: str, celsius: float) -> None:
        """Sets a zone's temperature."""
        self._write(f"{zone}/temp", f"{celsius * 1000:.0f}")

    def put(self, files: dict[str, str]) -> None:
        """Writes files with their folders; those below `proc/` go where `--procfs-root` is."""
        for name, text in files.items():
            path = self.procfs / name.removeprefix("proc/") if name.startswith("proc/") else self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            # At once, or the daemon might see half a file.
            draft = path.with_name(f".{path.name}")
            draft.write_text(text + "\n")
            draft.replace(path)

    def _write(self, file: str, text: str) -> None:
        (self._zones / file).write_text(text + "\n")
