internal import CaptureCore

/// What a USB bus has room for.
enum USBBudget {
  /// Bytes per second that isochronous transfers may reserve on a bus.
  ///
  /// Of a full-speed frame 90 %, of a high-speed microframe 80 % (USB 2.0, 5.6.4 and 5.7.4), of a SuperSpeed interval
  /// 90 % (xHCI 1.2, 4.14.2); the rest is kept for control and bulk transfers. Bytes are those after line coding: 8b/10b
  /// at 5 Gbit/s, 128b/132b above (USB 3.2, chapter 6). Packets' own overhead is left out, so it is an upper bound.
  static func periodic(_ megabits: Double) -> Double { raw(megabits) * (480...4999 ~= megabits ? 0.8 : 0.9) }

  /// Bytes per second that bulk transfers reach when nothing else is on the bus: 19 packets of 64 bytes in a full-speed
  /// frame, 13 of 512 in a high-speed microframe (USB 2.0, tables 5-9 and 5-10); above, what the line carries.
  static func bulk(_ megabits: Double) -> Double {
    megabits < 480 ? 19 * 64 * 1000 : megabits < 5000 ? 13 * 512 * 8000 : raw(megabits)
  }

  private static func raw(_ megabits: Double) -> Double {
    let bits = megabits * 1e6
    return megabits < 5000 ? bits / 8 : megabits < 10_000 ? bits / 10 : bits / 8 * 128 / 132
  }
}
