/// The bandwidth of a USB bus.
enum USBBudget {
  /// Returns the bytes per second that isochronous transfers may reserve on a bus, given its signalling rate in
  /// megabits per second.
  ///
  /// They may reserve 90 % of a full-speed frame, 80 % of a high-speed microframe (USB 2.0, 5.6.4 and 5.7.4) and 90 %
  /// of a SuperSpeed interval (xHCI 1.2, 4.14.2). The bus keeps the rest for control and bulk transfers. The result
  /// counts bytes after line coding: 8b/10b at 5 Gbit/s, 128b/132b above (USB 3.2, chapter 6). It ignores the overhead
  /// of packets, so it is an upper bound.
  static func periodic(_ megabits: Double) -> Double { raw(megabits) * (480...4999 ~= megabits ? 0.8 : 0.9) }

  /// Returns the bytes per second that bulk transfers reach when nothing else uses the bus. That is 19 packets of 64
  /// bytes in a full-speed frame, and 13 packets of 512 bytes in a high-speed microframe (USB 2.0, tables 5-9 and
  /// 5-10). On faster buses it is the capacity of the line.
  static func bulk(_ megabits: Double) -> Double {
    megabits < 480 ? 19 * 64 * 1000 : megabits < 5000 ? 13 * 512 * 8000 : raw(megabits)
  }

  private static func raw(_ megabits: Double) -> Double {
    let bits = megabits * 1e6
    return megabits < 5000 ? bits / 8 : megabits < 10_000 ? bits / 10 : bits / 8 * 128 / 132
  }
}
