internal import CDirectIO
internal import CaptureCore
internal import Glibc
internal import SystemFiles

/// Moves the movie of a capture from its units to its place. Blocks.
///
/// Unit after unit is appended to a draft in the target's folder, and removed once it is there on the disk; the last
/// one goes when the draft has got its name. So the disk needs room for one unit more than before, and a move that was
/// broken off at any point goes on with the units that are left.
struct CaptureMove {
  private static let action = "The movie cannot leave the video storage"

  let folder: PoolFolder
  let entry: CaptureEntry

  static let brokenOff = CaptureError(
    .operationInterrupted, "The daemon is shutting down; its next start moves the movie to its place.")

  /// Moves the movie. A capture without a byte leaves no file.
  ///
  /// - Parameters:
  ///   - isBrokenOff: asked again and again whether the move has to end.
  ///   - progress: called with the number of bytes that have moved.
  /// - Throws: the error of the system; `operationInterrupted` for a move that was broken off. The movie stays in the
  ///   storage, as far as it has not moved.
  func run(isBrokenOff: () -> Bool = { false }, progress: (UInt64) -> Void = { _ in }) throws(CaptureError) {
    if entry.length > 0 {
      try move(isBrokenOff, progress)
    } else if let place = try? TargetPlace(entry.target) {
      place.remove(draft: entry.draftName)
    }
    try folder.ledger.write(nil)
  }

  private var unitSize: UInt64 { UInt64(folder.unitSize) }

  private func move(_ isBrokenOff: () -> Bool, _ progress: (UInt64) -> Void) throws(CaptureError) {
    let all = entry.units(of: unitSize)
    let units = try folder.units().filter(all.contains)
    // The last unit is removed when everything else is done.
    guard let first = units.first, let last = units.last else { return }
    guard units == Array(first..<all.upperBound) else { throw lost }
    let place = try TargetPlace(entry.target)
    if try isDone(units, place) {
      try place.sync()
    } else {
      let draft = try place.openDraft(entry.draftName)
      guard try draft.status(Self.action).size >= (first - entry.firstUnit) * unitSize else { throw lost }
      for unit in units {
        let offset = (unit - entry.firstUnit) * unitSize
        let end = min(offset + unitSize, entry.length)
        try append(unit, to: draft, at: offset, count: end - offset, isBrokenOff)
        try draft.syncData(Self.action)
        if unit != last { try folder.remove(unit) }
        progress(end)
      }
      try draft.truncate(to: entry.length, Self.action)
      try draft.sync(Self.action)
      try place.fill(byDraft: entry.draftName)
    }
    try folder.remove(last)
  }

  /// Whether the movie has its place, and only its last unit has to go. A foreign file may have the same size, so the
  /// bytes decide.
  private func isDone(_ units: [UInt64], _ place: TargetPlace) throws(CaptureError) -> Bool {
    guard units.count == 1, place.size(of: entry.draftName) == nil, place.size == entry.length else { return false }
    return try place.hasFile(thatEndsWith: try folder.open(units[0]), from: (units[0] - entry.firstUnit) * unitSize)
  }

  private var lost: CaptureError {
    CaptureError(
      .processingFailed,
      "\(Self.action): a part of \(entry.target) was removed from the storage; an operator can give the movie up by a "
        + "capacity of 0.", metadata: ["file": entry.target])
  }

  /// Lets the draft share the blocks of a unit, or copies them where the file system has no reflinks or the draft is on
  /// another one.
  private func append(
    _ unit: UInt64, to draft: Descriptor, at offset: UInt64, count: UInt64, _ isBrokenOff: () -> Bool
  ) throws(CaptureError) {
    if isBrokenOff() { throw Self.brokenOff }
    let file = try folder.open(unit)
    let whole = UInt64(AlignedBytes.whole(Int(count)))
    if cdirectio_clone(file.number, 0, draft.number, offset, whole) == 0 { return }
    let memory = AlignedBytes(count: min(1 << 20, Int(whole)))
    var done: UInt64 = 0
    while done < count {
      if isBrokenOff() { throw Self.brokenOff }
      let part = UnsafeMutableRawBufferPointer(
        rebasing: memory.bytes[..<min(memory.bytes.count, Int(whole - done))])
      let read = try file.read(into: part, at: done, Self.action)
      guard read > 0 else { throw .system(Self.action, EIO) }
      try draft.write(UnsafeRawBufferPointer(rebasing: part[..<read]), at: offset + done, Self.action)
      done += UInt64(read)
    }
  }
}
