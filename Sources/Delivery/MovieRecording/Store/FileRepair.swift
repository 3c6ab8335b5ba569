internal import CaptureCore
internal import Glibc
internal import SystemFiles
internal import VideoCoding

/// Repairs a recording that a daemon did not finish: cuts off what does not play, and lets the record say what plays.
/// Blocks.
struct FileRepair {
  let folder: RecordingFolder

  /// The record as finished, and what could not be repaired; nil when everything could. The record is not written yet.
  func finished(_ record: RecordingRecord) -> (record: RecordingRecord, problem: String?) {
    if let whole = whole(record) { return (whole, nil) }
    var record = record.withoutMovie
    var problem: String?
    do throws(CaptureError) {
      problem = try measure(&record)
    } catch {
      problem = error.errorNumber == ENOENT ? "Its file was not made yet." : error.message
    }
    record.end = .daemonEnded(problem)
    return (record, problem)
  }

  /// The record of a movie that only had to leave the video storage, and has done so. It knows all about its file.
  private func whole(_ record: RecordingRecord) -> RecordingRecord? {
    guard record.isCaptured, let name = try? RecordingFileName(record.file, container: record.container),
      let file = try? folder.open(name), (try? file.status("").size) == record.tally.fileSize
    else { return nil }
    var record = record
    (record.state, record.isCaptured) = (.finished, false)
    return record
  }

  private func measure(_ record: inout RecordingRecord) throws(CaptureError) -> String? {
    let name = try RecordingFileName(record.file, container: record.container)
    let file = try folder.open(name, writes: true)
    var size = try file.status(RecordingFolder.looking).size
    if record.container.hasIndex {
      let scan = try FragmentScan(size: size) { offset, count throws(CaptureError) in
        try file.read(at: offset, count: count, RecordingFolder.reading)
      }
      // A file of which nothing plays stays as it is, for people who may know more about it.
      guard scan.playableCount > 0 else { return "Nothing of its file plays." }
      try cut(file, from: size, to: scan.playableCount)
      size = scan.playableCount
      record.isOptimizedForNetworkUse = scan.hasIndexInFront
    }
    // The size tells what plays even without libavformat.
    record.tally.fileSize = size
    let contents: MovieContents
    do throws(CaptureError) {
      contents = try file.withPath { path throws(CaptureError) in
        try MovieContents(of: path, container: record.container)
      }
    } catch {
      if error.reason != .formatNotSupported { record.tally.fileSize = 0 }
      return error.message
    }
    record.tally.frames = contents.sampleCount
    if record.container.hasIndex { record.form = try? file.form(record.container) }
    record.duration = contents.duration
    guard contents.sampleCount > 0 else {
      record.tally.fileSize = 0
      return "Nothing of its file plays."
    }
    return nil
  }

  /// Cuts the file off. FFmpeg does not open a file that ends in the index of a fragment.
  private func cut(_ file: Descriptor, from size: UInt64, to end: UInt64) throws(CaptureError) {
    guard end < size else { return }
    let action = "The unfinished end of its file cannot be cut off"
    try file.truncate(to: end, action)
    try file.sync(action, ifSupported: true)
  }
}

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
