"""The /sys and /proc trees of whole machines, as files for `SysfsTree.put`.

The trees follow public documentation, which each comment names. They were not recorded on such machines. All machines
are cool and idle.
"""


def stall(some: float = 0.0, full: float = 0.0) -> str:
    """The text of a file of pressure stall information (`Documentation/accounting/psi.rst` of the kernel)."""
    return "\n".join(
        f"{name} avg10={share:.2f} avg60=0.00 avg300=0.00 total=12345"
        for name, share in (("some", some), ("full", full))
    )


STALLS = {f"proc/pressure/{resource}": stall() for resource in ("cpu", "memory", "io")}


def zone(number: int, kind: str, celsius: float, **trips: float) -> dict[str, str]:
    """The files of a thermal zone (`Documentation/driver-api/thermal/sysfs-api.rst`). Temperatures are in degrees
    Celsius.
    """
    folder = f"class/thermal/thermal_zone{number}"
    files = {f"{folder}/type": kind, f"{folder}/temp": f"{celsius * 1000:.0f}"}
    for index, (trip, limit) in enumerate(trips.items()):
        # A zone may have several trips of one kind. Their keywords are `active`, `active2`, and so on.
        files[f"{folder}/trip_point_{index}_type"] = trip.rstrip("0123456789")
        files[f"{folder}/trip_point_{index}_temp"] = f"{limit * 1000:.0f}"
    return files


# A laptop, after `Documentation/hwmon/coretemp.rst`, `sysfs-class-power`, `cpufreq.rst` and `therm_throt.c` of the
# kernel.
PC = {
    **zone(0, "acpitz", 37, passive=80, critical=100),
    **zone(1, "x86_pkg_temp", 45, passive=0),
    "class/thermal/cooling_device0/type": "Processor",
    "class/thermal/cooling_device0/cur_state": "0",
    "class/thermal/cooling_device0/max_state": "10",
    "class/hwmon/hwmon0/name": "coretemp",
    "class/hwmon/hwmon0/temp1_label": "Package id 0",
    "class/hwmon/hwmon0/temp1_input": "52000",
    "class/hwmon/hwmon0/temp1_max": "86000",
    "class/hwmon/hwmon0/temp1_crit": "100000",
    "class/power_supply/AC/type": "Mains",
    "class/power_supply/AC/online": "0",
    "class/power_supply/BAT0/type": "Battery",
    "class/power_supply/BAT0/status": "Discharging",
    "class/power_supply/BAT0/capacity": "80",
    "class/power_supply/BAT0/capacity_level": "Normal",
    "devices/system/cpu/cpufreq/policy0/scaling_max_freq": "2400000",
    "devices/system/cpu/cpufreq/policy0/cpuinfo_max_freq": "4700000",
    "devices/system/cpu/cpu0/thermal_throttle/core_throttle_count": "3",
    **STALLS,
}


def processors(count: int) -> dict[str, str]:
    """The files that `count` processors of a server, two to a core, add to `PC`: frequency limits, throttle counters,
    cooling devices and sensors.
    """
    files = {}
    for cpu in range(count):
        files |= {
            f"devices/system/cpu/cpufreq/policy{cpu}/scaling_max_freq": "2400000",
            f"devices/system/cpu/cpufreq/policy{cpu}/cpuinfo_max_freq": "4700000",
            f"devices/system/cpu/cpu{cpu}/thermal_throttle/core_throttle_count": "3",
            f"devices/system/cpu/cpu{cpu}/thermal_throttle/package_throttle_count": "7",
            f"class/thermal/cooling_device{cpu}/type": "Processor",
            f"class/thermal/cooling_device{cpu}/cur_state": "0",
            f"class/thermal/cooling_device{cpu}/max_state": "10",
        }
    for core in range(count // 2):
        files |= {
            f"class/hwmon/hwmon0/temp{core + 2}_label": f"Core {core}",
            f"class/hwmon/hwmon0/temp{core + 2}_input": "48000",
            f"class/hwmon/hwmon0/temp{core + 2}_max": "86000",
            f"class/hwmon/hwmon0/temp{core + 2}_crit": "100000",
        }
    return files


# A Raspberry Pi 4, after `bcm2711.dtsi` and the drivers `raspberrypi-hwmon` and `raspberrypi` (firmware) of its kernel,
# and after Raspberry Pi's documentation of `vcgencmd get_throttled`. The firmware has throttled the machine since boot,
# but does not now.
RASPBERRY_PI = {
    **zone(0, "cpu-thermal", 52.15, critical=110),
    "class/hwmon/hwmon0/name": "rpi_volt",
    "class/hwmon/hwmon0/in0_lcrit_alarm": "0",
    "devices/platform/soc/soc:firmware/get_throttled": "50000",
    "devices/system/cpu/cpufreq/policy0/scaling_max_freq": "1500000",
    "devices/system/cpu/cpufreq/policy0/cpuinfo_max_freq": "1500000",
}

# A Jetson AGX Orin, with one zone of each kind as in mainline `tegra234-p3701-0000.dtsi` and
# `tegra234-p3737-0000+p3701-0000.dts`, and a fan as in `Documentation/hwmon/pwm-fan.rst`. `tj-thermal` is the
# temperature of the chip's hottest spot.
JETSON = {
    **zone(0, "cpu-thermal", 46.5, critical=104.5, passive=99),
    **zone(1, "soc0-thermal", 44, critical=104.5, passive=99),
    **zone(2, "tj-thermal", 47, critical=104.5),
    **zone(3, "tboard-thermal", 35, critical=107),
    "class/thermal/cooling_device0/type": "pwm-fan",
    "class/thermal/cooling_device0/cur_state": "2",
    "class/thermal/cooling_device0/max_state": "10",
    **STALLS,
}

# A container that has limits of its own (`Documentation/admin-guide/cgroup-v2.rst`) and sees no sensors of its host.
CONTAINER = {
    "proc/self/cgroup": "0::/",
    **STALLS,
    **{f"fs/cgroup/{resource}.pressure": stall() for resource in ("cpu", "memory", "io")},
}
