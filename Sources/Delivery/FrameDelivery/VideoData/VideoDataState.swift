public import CaptureCore

/// The state that a video data output keeps under its lock.
struct VideoDataState: Sendable {
  /// What the output must do once the lock is free.
  struct Work: Sendable {
    var started: EncodingVariant?
    var stopped: EncodingVariant?
  }

  /// The readers that get a frame, and how.
  struct Delivery: Sendable {
    var tally: FrameTally
    var slots: [ReaderSlot]
    /// The conversion that makes the readers' frames. Nil when readers get the camera's own bytes.
    var conversion: EncodingVariant?
    var work = Work()
  }

  private let settings: VideoDataSettings
  var isPrepared = false
  private(set) var closed: CaptureError?
  var conditions = OutputConditions() {
    didSet { gate.expect(conditions.revision) }
  }
  private var gate = RevisionGate()
  private(set) var tally = FrameTally()
  private var streamID: UInt64 = 0
  /// The readers' slots, in no order. An array, so that a frame costs no allocation.
  private(set) var slots: [ReaderSlot] = []
  private var conversion: EncodingVariant?

  init(settings: VideoDataSettings) { self.settings = settings }

  /// How frames of `layout` are converted. Nil when readers get such frames as they are.
  func conversion(of layout: FrameLayout) -> EncodingKey? {
    // A reader of video data may leave frames out, so it gets no coded ones.
    let format = settings.pixelFormat ?? (layout.pixelFormat.isVideo ? .nv12 : layout.pixelFormat)
    let isInRange = settings.range == nil || settings.range == layout.range
    let orientation = conditions.connection.orientation
    if format == layout.pixelFormat, orientation == .asCaptured, isInRange { return nil }
    return EncodingKey(
      format: format, quality: 0, size: orientation.turned(layout.size), orientation: orientation,
      range: settings.range)
  }

  /// Counts a frame, and finds the readers and the conversion for it.
  ///
  /// - Returns: nil when no reader gets the frame.
  mutating func receive(_ captured: CapturedFrame) -> Delivery? {
    guard closed == nil, conditions.connection.isEnabled, gate.passes(captured) else { return nil }
    let frame = captured.frame
    tally.add(missing: frame.missing, startsStream: streamID != frame.streamID)
    streamID = frame.streamID
    guard isPrepared, !slots.isEmpty else { return nil }
    let key = conversion(of: frame.layout)
    var work = Work()
    if conversion?.key != key {
      work.stopped = conversion
      conversion = key.map { EncodingVariant(key: $0, queueDepth: settings.queueDepth) }
      work.started = conversion
    }
    return Delivery(tally: tally, slots: slots, conversion: conversion, work: work)
  }

  /// Adds a reader.
  ///
  /// - Throws: once the output is closed, the error that ``close(_:)`` was given; `tooManyRequests` when there are as
  ///   many readers as there may be.
  mutating func add(_ token: String, _ request: VideoDataRequest) throws(CaptureError) -> ReaderSlot {
    if let closed { throw closed }
    guard slots.count < VideoDataOutput.maxReaders else {
      throw CaptureError(
        .tooManyRequests, "The output has \(slots.count) readers already, which is the most it takes.",
        metadata: ["limit": "\(VideoDataOutput.maxReaders)", "of": "readers"])
    }
    let slot = ReaderSlot(
      token: token, maxBytes: request.maxFrameBytes, maxUnacknowledged: request.maxUnacknowledgedFrames,
      queueDepth: settings.queueDepth, session: conditions.status, base: tally, asks: request.asksForFrames)
    slots.append(slot)
    return slot
  }

  /// Removes a reader. The conversion stops with the last reader.
  ///
  /// - Returns: nil for an unknown reader.
  mutating func remove(_ token: String) -> (ReaderSlot, Work)? {
    guard let index = slots.firstIndex(where: { $0.token == token }) else { return nil }
    let slot = slots.remove(at: index)
    return (slot, slots.isEmpty ? stopConversion() : Work())
  }

  /// Removes all readers. Only the error of the first call counts.
  mutating func close(_ error: CaptureError) -> ([ReaderSlot], Work) {
    if closed == nil { closed = error }
    defer { slots = [] }
    return (slots, stopConversion())
  }

  /// The readers of `conversion`. Empty once the conversion was stopped.
  func readers(of conversion: EncodingVariant) -> [ReaderSlot] { self.conversion === conversion ? slots : [] }

  private mutating func stopConversion() -> Work {
    defer { conversion = nil }
    return Work(stopped: conversion)
  }
}

/// How a video data output gives its frames.
public struct VideoDataSettings: Hashable, Sendable {
  /// The pixel format of the frames. Nil: the camera's own format, without conversion.
  public var pixelFormat: PixelFormat?
  /// The range of luma and chroma. Nil: the camera's own range. Without meaning for RGB and compressed frames.
  public var range: FrameLayout.Range?
  /// How many frames may wait for each reader, 1 to 64. Nil: one frame waits, and a newer frame takes its place.
  public var queueDepth: Int?

  /// Makes settings. By default readers get the camera's own frames, and the newest frame wins.
  public init(pixelFormat: PixelFormat? = nil, range: FrameLayout.Range? = nil, queueDepth: Int? = nil) {
    self.pixelFormat = pixelFormat
    self.range = range
    self.queueDepth = queueDepth
  }
}
