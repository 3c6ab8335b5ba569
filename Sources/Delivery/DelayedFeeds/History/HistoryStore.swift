internal import CaptureCore
internal import FrameDelivery
internal import Imaging
internal import SystemClocks
internal import SystemFiles

/// The pictures of a history on the disk. Only the thread of the history uses it, because all methods block.
struct HistoryStore: ~Copyable {
  private(set) var index = HistoryIndex<PreviewPicture>()
  private(set) var statuses = Timeline<PreviewStatus>()
  private let file: TemporaryFile
  /// Memory for the pictures on their way from the disk to the readers. Each reader has at most one, also when it does
  /// not read from its connection, and a picture that all readers have is there once more.
  private let pool = FramePool(budget: (DelayedHistory.maxReaders + 1) * HistoryBudget.largestPicture)
  private let quality: Int
  /// The pictures that were stored or read since ``forgetLoaded()``, by number.
  private var loaded: [UInt64: PreviewPicture] = [:]

  /// - Parameter quality: the quality of the pictures, 1 to 100.
  /// - Throws: `processingFailed` when the system gives no file.
  init(in folder: String, quality: Int) throws(CaptureError) {
    file = try TemporaryFile(in: folder)
    self.quality = quality
  }

  /// Adds a status that holds from now on.
  ///
  /// - Parameter kept: how far the history must reach back, in nanoseconds.
  mutating func add(_ status: PreviewStatus, keeping kept: UInt64) {
    var status = status
    let now = MonotonicInstant.now()
    statuses.forget(before: now - kept - HistoryBudget.slack)
    // The token is the history's own; a reader has nothing to acknowledge.
    status.token = ""
    statuses.append(status, since: now)
  }

  /// Adds a picture. When the disk refuses it, the picture counts as lost.
  ///
  /// - Parameter kept: how far the history must reach back, in nanoseconds.
  mutating func add(_ picture: PreviewPicture, keeping kept: UInt64) {
    let (frame, buffer) = (picture.captured.frame, picture.picture.buffer)
    let captured = frame.time.monotonic
    index.lose(picture.dropped, omitted: picture.omitted)
    statuses.advance(to: captured)
    statuses.forget(before: captured - kept - HistoryBudget.slack)
    let (size, before) = (frame.layout.size, index.fileBytes)
    let offset = index.place(
      buffer.count, at: captured, keeping: kept + HistoryBudget.slack,
      segmentLimit: byteLimit(keeping: kept, size) / HistoryBudget.segmentBytes)
    if index.fileBytes < before { file.cut(to: index.fileBytes) }
    do throws(CaptureError) {
      guard let offset else { return index.lose(DropCounts(outOfBuffers: 1)) }
      try buffer.withUnsafeBytes { bytes throws(CaptureError) in try file.write(bytes, at: offset) }
      var bare = picture
      bare.captured = picture.captured.with(frame.holding(.empty))
      (bare.memo, bare.dropped, bare.omitted) = (nil, DropCounts(), 0)
      index.append(bare, at: captured, offset: offset, count: buffer.count)
      var whole = bare
      whole.captured = picture.captured
      loaded[index.entries[index.entries.count - 1].number] = whole
    } catch {
      index.lose(DropCounts(outOfBuffers: 1))
    }
  }

  /// The picture at a position of the index, without losses. Nil when the disk or the memory fails.
  mutating func picture(at position: Int) -> PreviewPicture? {
    let entry = index.entries[position]
    if let picture = loaded[entry.number] { return picture }
    guard let memory = memory(for: entry.count) else { return nil }
    let bytes = UnsafeMutableRawBufferPointer(rebasing: memory.bytes[..<entry.count])
    do throws(CaptureError) { try file.read(into: bytes, at: entry.offset) } catch { return nil }
    var picture = entry.content
    picture.captured = picture.captured.with(picture.captured.frame.holding(memory.freeze(count: entry.count)))
    loaded[entry.number] = picture
    return picture
  }

  /// Pictures that other readers of this pass have make room when there is no memory.
  private mutating func memory(for count: Int) -> WritableFrameBuffer? {
    if let memory = pool.take(count) { return memory }
    forgetLoaded()
    return pool.take(count)
  }

  /// Lets go of the memory of pictures, when no reader needs them at this moment.
  mutating func forgetLoaded() { loaded = [:] }

  /// The most bytes that the file may take.
  ///
  /// - Parameters:
  ///   - kept: how far the history must reach back, in nanoseconds.
  ///   - size: the size of the newest picture; nil for that of the newest picture in the history.
  func byteLimit(keeping kept: UInt64, _ size: Size? = nil) -> Int {
    guard let size = size ?? index.entries.last?.content.captured.frame.layout.size else { return 0 }
    let segments = HistoryBudget.segments(size, quality: quality, rate: rate, delay: kept)
    return segments * HistoryBudget.segmentBytes
  }

  private var rate: Double { HistoryBudget.rate(of: index.entries.suffix(31).map(\.captured)) }
}

extension Frame {
  /// The same frame with its bytes elsewhere.
  fileprivate func holding(_ buffer: FrameBuffer) -> Frame {
    Frame(
      streamID: streamID, sequence: sequence, time: time, layout: layout, buffer: buffer, missing: missing,
      sensor: sensor, layers: layers)
  }
}
