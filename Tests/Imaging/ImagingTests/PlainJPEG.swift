import CaptureCore
import Testing

/// A JPEG of a single colour. The tests write its bytes themselves, so that its sampling factors can have any value.
struct PlainJPEG {
  /// The horizontal and vertical sampling factors of one component, each 1 to 4.
  struct Factors: Hashable, CustomTestStringConvertible {
    var h, v: Int
    var testDescription: String { "\(h)x\(v)" }
    static let all = (1...4).flatMap { h in (1...4).map { Factors(h: h, v: $0) } }
  }

  /// The factors of Y, Cb and Cr.
  var factors: [Factors]
  var size: Size

  /// The values of Y, Cb and Cr to which the samples decode.
  static let color: [UInt8] = [128 + 40, 128 - 50, 128 + 60]

  var bytes: [UInt8] {
    // All entries of the quantization table are 8, so a DC coefficient of n makes each sample of its block 128 + n.
    var bytes: [UInt8] = [0xff, 0xd8, 0xff, 0xdb, 0, 67, 0] + [UInt8](repeating: 8, count: 64)
    bytes += [0xff, 0xc0, 0, 17, 8] + Self.word(size.height) + Self.word(size.width) + [3]
    for (index, factor) in factors.enumerated() { bytes += [UInt8(index + 1), UInt8(factor.h << 4 | factor.v), 0] }
    // In the DC table, the code 0 means that DC is the same as before, and the code 10 that DC differs by six bits. In
    // the AC table, the code 0 means that no more coefficients follow.
    bytes += [0xff, 0xc4, 0, 21, 0, 1, 1] + [UInt8](repeating: 0, count: 14) + [0, 6]
    bytes += [0xff, 0xc4, 0, 20, 0x10, 1] + [UInt8](repeating: 0, count: 15) + [0]
    // Each component has a scan of its own, because an interleaved scan may have at most ten blocks in a unit.
    for index in factors.indices {
      bytes += [0xff, 0xda, 0, 8, 1, UInt8(index + 1), 0, 0, 63, 0] + scan(index)
    }
    return bytes + [0xff, 0xd9]
  }

  private func scan(_ index: Int) -> [UInt8] {
    func blocks(_ side: Int, _ factor: Int, of largest: Int) -> Int {
      (side * factor + 8 * largest - 1) / (8 * largest)
    }
    let count =
      blocks(size.width, factors[index].h, of: factors.map(\.h).max()!)
      * blocks(size.height, factors[index].v, of: factors.map(\.v).max()!)
    let difference = Int(Self.color[index]) - 128
    let first = 0b10 << 6 | (difference > 0 ? difference : difference + 63)
    // After DC, one bit ends the first block. Each other block takes two bits, and ones fill the last byte.
    let zeros = 1 + 2 * (count - 1)
    let rest = zeros % 8
    return [UInt8(first)] + [UInt8](repeating: 0, count: zeros / 8) + (rest == 0 ? [] : [UInt8(0xff >> rest)])
  }

  private static func word(_ value: Int) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 0xff)] }
}
