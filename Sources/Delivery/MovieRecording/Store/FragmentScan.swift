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
    while offset < size, let box = MovieBox(try read(offset, MovieBox.maximumHead)[...]), box.size <= size - offset {
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
}
