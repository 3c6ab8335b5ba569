/*
 * A thermal zone whose temperature any program in the guest can set: CMOS byte 0x50 holds degrees Celsius (see `heat`).
 * Trips: passive 85, hot 100, critical 120 degrees Celsius. ACPI counts in tenths of a kelvin.
 */
DefinitionBlock ("", "SSDT", 2, "FLIGHT", "THERMAL", 1)
{
    External (\_SB.CPUS.C000, DeviceObj)

    Scope (\_TZ)
    {
        OperationRegion (CMOS, SystemIO, 0x70, 2)
        Field (CMOS, ByteAcc, NoLock, Preserve)
        {
            INDX, 8,
            DATA, 8
        }
        IndexField (INDX, DATA, ByteAcc, NoLock, Preserve)
        {
            Offset (0x50),
            DEGC, 8
        }

        ThermalZone (TZ0)
        {
            Method (_TMP, 0, Serialized) { Return (2732 + DEGC * 10) }
            Name (_PSV, 3582)
            Name (_PSL, Package () { \_SB.CPUS.C000 })
            Name (_TC1, 1)
            Name (_TC2, 1)
            Name (_TSP, 5)
            Name (_HOT, 3732)
            Name (_CRT, 3932)
            /* The kernel reads the zone twice a second. Readers of sysfs always get the present value. */
            Name (_TZP, 5)
        }
    }
}
