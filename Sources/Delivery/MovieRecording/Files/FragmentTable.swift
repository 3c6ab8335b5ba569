/// Where the fragments of a file in MP4 or QuickTime lie, and when they are shown. A value.
///
/// The file itself has no list of its fragments before its first one. A player that goes through a file by its boxes,
/// as FFmpeg and therefore Chromium do, has to read the head of each fragment until it knows where the next one
/// begins. An ``index(to:)`` in front of the fragments tells it all of them at once.
struct FragmentTable: Hashable, Sendable {
  /// A fragment: the index of its samples (`moof`) and the samples (`mdat`).
  struct Fragment: Hashable, Sendable {
    /// Where in the file the fragment begins.
    var offset: UInt64
    /// When its first picture is shown, in units of the track.
    var time: UInt64
    /// When its last picture ends. 0 when nobody has looked at the fragment.
    var endTime: UInt64 = 0
  }

  /// The most entries of an index, which counts them with 16 bits. A longer movie has several fragments in one entry.
  static let maximumEntries = 65_535
  /// The most bytes of the beginning of a movie (`moov`) or of the index of a fragment that are read. A fragment has
  /// at most some thousand samples.
  private static let maximumIndex = 16 << 20
  /// The most bytes of the list of fragments at the end of a file that are read.
  private static let maximumList = 64 << 20
  /// The latest time in a movie. Only a damaged file tells a later one.
  private static let maximumTime = UInt64(Int64.max)
  /// The bytes that are read at once at the beginning of a fragment, in which most of their indexes fit.
  private static let firstRead = 4096

  /// The number of the track of pictures.
  let track: UInt32
  /// The units of its times in a second.
  let unitsPerSecond: UInt32
  private let defaultDuration: UInt64
  /// The whole fragments in the order of the file, each with a picture.
  private(set) var fragments: [Fragment] = []
  /// Where the last whole fragment ends.
  private(set) var end: UInt64
  /// When the last picture ends, in units of the track.
  private(set) var endTime: UInt64 = 0

  /// Reads the beginning of a file. Nil when it is no movie in fragments.
  ///
  /// - Parameters:
  ///   - size: the number of bytes that play.
  ///   - read: returns that many bytes from an offset on; fewer at the end of the file.
  init?<Failure: Error>(
    size: UInt64, read: (_ offset: UInt64, _ count: Int) throws(Failure) -> [UInt8]
  ) throws(Failure) {
    var (offset, found): (UInt64, ArraySlice<UInt8>?) = (0, nil)
    while found == nil {
      guard let box = MovieBox(try read(offset, MovieBox.maximumHead)[...]), box.size <= size - offset,
        box.name != "moof", box.name != "mdat"
      else { return nil }
      if box.name == "moov", box.size <= Self.maximumIndex {
        found = try read(offset, Int(box.size)).dropFirst(box.headCount)
      }
      offset += box.size
    }
    guard let movie = found, let extends = MovieBox.first("mvex", in: movie), let track = Self.track(in: movie) else {
      return nil
    }
    self.track = track.number
    unitsPerSecond = track.unitsPerSecond
    let defaults = MovieBox.boxes(in: extends).first {
      $0.name == "trex" && $0.content.number(at: 4, count: 4) == UInt64(track.number)
    }
    defaultDuration = defaults?.content.number(at: 12, count: 4) ?? 0
    end = offset
  }

  /// The first track of pictures.
  private static func track(in movie: ArraySlice<UInt8>) -> (number: UInt32, unitsPerSecond: UInt32)? {
    for (name, content) in MovieBox.boxes(in: movie) where name == "trak" {
      guard let head = MovieBox.first("tkhd", in: content), let media = MovieBox.first("mdia", in: content),
        let kind = MovieBox.first("hdlr", in: media), kind.dropFirst(8).prefix(4).elementsEqual("vide".utf8),
        let times = MovieBox.first("mdhd", in: media)
      else { continue }
      // The times before these numbers have 64 bits in the version 1.
      let number = head.number(at: head.first == 1 ? 20 : 12, count: 4)
      let units = times.number(at: times.first == 1 ? 20 : 12, count: 4)
      if units > 0 { return (UInt32(number), UInt32(units)) }
    }
    return nil
  }

  // MARK: Finding fragments

  /// Takes the list that a complete file has at its end (`mfra`), so that only its last fragment has to be looked at.
  /// Without a list that fits the file, nothing changes.
  mutating func takeList<Failure: Error>(
    size: UInt64, read: (_ offset: UInt64, _ count: Int) throws(Failure) -> [UInt8]
  ) throws(Failure) {
    guard fragments.isEmpty, size >= end + 16 else { return }
    // The last box of the list tells how long the list is, so that it can be found from the end of the file.
    let last = try read(size - 16, 16)[...]
    let count = last.number(at: 12, count: 4)
    guard MovieBox(last)?.name == "mfro", (24...UInt64(Self.maximumList)).contains(count), count <= size - end else {
      return
    }
    let list = try read(size - count, Int(count))[...]
    guard let box = MovieBox(list), box.name == "mfra", box.size == count else { return }
    let entries = MovieBox.boxes(in: list.dropFirst(box.headCount)).first {
      $0.name == "tfra" && $0.content.number(at: 4, count: 4) == UInt64(track)
    }
    guard var listed = entries.flatMap({ Self.fragments(listed: $0.content) }), listed.first?.offset == end,
      zip(listed, listed.dropFirst()).allSatisfy({ $0.offset < $1.offset && $0.time < $1.time }),
      let newest = listed.popLast(), newest.offset < size - count
    else { return }
    // The list may count its times in another way than the fragments.
    guard let first = try look(at: end, size: size, read), first.time == (listed.first ?? newest).time,
      let final = try look(at: newest.offset, size: size, read), final.time == newest.time
    else { return }
    (fragments, end, endTime) = (listed, newest.offset, newest.time)
  }

  private static func fragments(listed content: ArraySlice<UInt8>) -> [Fragment]? {
    let sizes = content.number(at: 8, count: 4)
    let wide = content.first == 1 ? 8 : 4
    let entry = 2 * wide + Int(sizes >> 4 & 3) + Int(sizes >> 2 & 3) + Int(sizes & 3) + 3
    let count = Int(content.number(at: 12, count: 4))
    guard count > 0, content.count - 16 >= count * entry else { return nil }
    return (0..<count).map { index in
      let place = 16 + index * entry
      return Fragment(
        offset: content.number(at: place + wide, count: wide), time: content.number(at: place, count: wide))
    }
  }

  /// Looks for further whole fragments.
  ///
  /// - Parameters:
  ///   - size: the number of bytes that play.
  ///   - limit: the most fragments to look at.
  /// - Returns: whether there may be more.
  mutating func extend<Failure: Error>(
    to size: UInt64, atMost limit: Int, read: (_ offset: UInt64, _ count: Int) throws(Failure) -> [UInt8]
  ) throws(Failure) -> Bool {
    for _ in 0..<limit {
      guard end < size, let found = try look(at: end, size: size, read) else { return false }
      if let time = found.time, time >= endTime {
        endTime = time + found.duration
        fragments.append(Fragment(offset: end, time: time, endTime: endTime))
      }
      // A fragment without a picture is a part of the one before it.
      end += found.size
    }
    return true
  }

  /// What a fragment tells: its bytes, and of its pictures the time of the first one, nil without one, and how long
  /// they are. Nil when there is no whole fragment.
  private func look<Failure: Error>(
    at offset: UInt64, size: UInt64, _ read: (UInt64, Int) throws(Failure) -> [UInt8]
  ) throws(Failure) -> (size: UInt64, time: UInt64?, duration: UInt64)? {
    var bytes = try read(offset, Self.firstRead)[...]
    guard let index = MovieBox(bytes), index.name == "moof", index.size <= Self.maximumIndex,
      index.size <= size - offset
    else { return nil }
    let wanted = Int(index.size) + MovieBox.maximumHead
    if bytes.count < wanted { bytes = try read(offset, wanted)[...] }
    let left = size - offset - index.size
    guard bytes.count >= Int(index.size), let samples = MovieBox(bytes.dropFirst(Int(index.size))),
      samples.name == "mdat", samples.size <= left
    else { return nil }
    let pictures = pictures(in: bytes.prefix(Int(index.size)).dropFirst(index.headCount))
    return (index.size + samples.size, pictures?.time, pictures?.duration ?? 0)
  }

  private func pictures(in index: ArraySlice<UInt8>) -> (time: UInt64, duration: UInt64)? {
    for (name, content) in MovieBox.boxes(in: index) where name == "traf" {
      guard let head = MovieBox.first("tfhd", in: content), head.number(at: 4, count: 4) == UInt64(track),
        let start = MovieBox.first("tfdt", in: content)
      else { continue }
      let flags = head.number(at: 1, count: 3)
      // The duration of a sample comes behind two numbers that may be missing.
      let place = 8 + (flags & 0x1 != 0 ? 8 : 0) + (flags & 0x2 != 0 ? 4 : 0)
      let usual = flags & 0x8 != 0 ? head.number(at: place, count: 4) : defaultDuration
      let runs = MovieBox.boxes(in: content).filter { $0.name == "trun" }
      let duration = runs.reduce(0) { $0 &+ Self.duration(of: $1.content, usual: usual) }
      let time = start.number(at: 4, count: start.first == 1 ? 8 : 4)
      return duration > 0 && max(duration, time) <= Self.maximumTime ? (time, duration) : nil
    }
    return nil
  }

  private static func duration(of run: ArraySlice<UInt8>, usual: UInt64) -> UInt64 {
    let flags = run.number(at: 1, count: 3)
    let count = Int(run.number(at: 4, count: 4))
    guard flags & 0x100 != 0 else { return UInt64(count) * usual }
    let first = 8 + (flags & 0x1 != 0 ? 4 : 0) + (flags & 0x4 != 0 ? 4 : 0)
    let entry = [0x100, 0x200, 0x400, 0x800].reduce(0) { $0 + (flags & $1 != 0 ? 4 : 0) }
    guard first + count * entry <= run.count else { return 0 }
    return (0..<count).reduce(0) { $0 + run.number(at: first + $1 * entry, count: 4) }
  }

  // MARK: The index

  /// The index of the fragments up to a number of bytes (`sidx`, ISO/IEC 14496-12, 8.16.3), which belongs right in
  /// front of the first fragment. Nil when no fragment is whole by then.
  ///
  /// FFmpeg takes an index for complete only when it names all bytes from its own end to that of the file. The index to
  /// a number of bytes is always the same, also when the file has got more.
  ///
  /// - Parameters:
  ///   - limit: the most entries of the index.
  ///   - read: as in ``init(size:read:)``.
  /// - Returns: the bytes; where in the file they belong; and where in the file the last fragment ends.
  func index<Failure: Error>(
    to size: UInt64, atMost limit: Int = maximumEntries,
    read: (_ offset: UInt64, _ count: Int) throws(Failure) -> [UInt8]
  ) throws(Failure) -> (bytes: [UInt8], place: UInt64, end: UInt64)? {
    var (low, high) = (0, fragments.count)
    // The first fragment that is not whole by then: each one ends where the next one begins.
    while low < high {
      let middle = (low + high) / 2
      if (middle + 1 < fragments.count ? fragments[middle + 1].offset : end) <= size {
        low = middle + 1
      } else {
        high = middle
      }
    }
    guard low > 0 else { return nil }
    var final = fragments[low - 1]
    let next = low < fragments.count ? fragments[low].offset : end
    if final.endTime == 0, let found = try look(at: final.offset, size: next, read) {
      final.endTime = final.time + found.duration
    }
    let last = Fragment(offset: next, time: max(final.time, final.endTime))
    let step = (low + limit - 1) / limit
    let entries = stride(from: 0, to: low, by: step).map { fragments[$0] }
    var bytes: [UInt8] = []
    bytes.append(UInt64(40 + 12 * entries.count), count: 4)
    bytes += "sidx".utf8
    bytes.append(1 << 24, count: 4)
    bytes.append(UInt64(track), count: 4)
    bytes.append(UInt64(unitsPerSecond), count: 4)
    bytes.append(fragments[0].time, count: 8)
    // The first fragment follows at once.
    bytes.append(0, count: 8)
    bytes.append(UInt64(entries.count), count: 4)
    for (entry, follower) in zip(entries, entries.dropFirst() + [last]) {
      bytes.append(min(follower.offset - entry.offset, 0x7fff_ffff), count: 4)
      bytes.append(min(follower.time - entry.time, 0xffff_ffff), count: 4)
      // Each fragment begins with a key frame.
      bytes.append(0x9000_0000, count: 4)
    }
    return (bytes, fragments[0].offset, next)
  }
}
