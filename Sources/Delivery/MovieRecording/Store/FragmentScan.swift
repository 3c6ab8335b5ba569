/// Finds what plays of a file in MP4 or QuickTime that was written in fragments and perhaps cut off. Reads only the
/// heads of the outermost boxes, 16 bytes each.
///
/// A fragment is an index (`moof`) and the samples behind it (`mdat`). Only whole fragments play. A file with a single
/// index in front (`moov`) has all samples in one `mdat`, and was whole when it got its name.
struct FragmentScan {
  /// The number of bytes up to the end of the last whole fragment, and of the boxes that follow it and are whole. 0
  /// when not even the beginning of the movie (`moov`) is whole.
  private(set) var playableCount: UInt64 = 0
  /// The number of whole fragments.
  private(set) var fragmentCount = 0
  /// Whether the file has a single index in front instead of fragments.
  private(set) var hasIndexInFront = false

  /// Scans a file.
  ///
  /// - Parameters:
  ///   - size: the size of the file.
  ///   - read: returns that many bytes from an offset on; fewer at the end of the file.
  init<Failure: Error>(size: UInt64, read: (_ offset: UInt64, _ count: Int) throws(Failure) -> [UInt8]) throws(Failure)
  {
    var (offset, hasMovie, waitsForSamples): (UInt64, Bool, Bool) = (0, false, false)
    while offset < size, let box = Box(try read(offset, 16)), box.size <= size - offset {
      offset += box.size
      switch box.name {
      case "moov": hasMovie = true
      case "moof":
        waitsForSamples = true
        continue
      case "mdat" where waitsForSamples:
        waitsForSamples = false
        if hasMovie { fragmentCount += 1 }
      case "mdat": hasIndexInFront = hasMovie
      default: break
      }
      if hasMovie, !waitsForSamples { playableCount = offset }
    }
  }

  /// The head of a box.
  private struct Box {
    let name: String
    let size: UInt64

    /// Nil when the bytes are no head: a file system may leave zeros where the power failed.
    init?(_ bytes: [UInt8]) {
      guard bytes.count >= 8, bytes[4..<8].allSatisfy({ (0x20..<0x7f).contains($0) }) else { return nil }
      func number(_ range: Range<Int>) -> UInt64 { bytes[range].reduce(0) { $0 << 8 | UInt64($1) } }
      let short = number(0..<4)
      // The size 1 says that a size of 64 bits follows. The muxer never leaves a size open, which would be 0.
      let isLong = short == 1
      if isLong, bytes.count < 16 { return nil }
      size = isLong ? number(8..<16) : short
      guard size >= (isLong ? 16 : 8) else { return nil }
      name = String(decoding: bytes[4..<8], as: UTF8.self)
    }
  }
}
