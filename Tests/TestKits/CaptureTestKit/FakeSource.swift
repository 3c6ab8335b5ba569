public import CaptureCore
internal import Synchronization
public import SystemClocks

/// A source that publishes when told to. Made by ``FakeProvider``.
///
/// The test is its capture thread: send frames from one task at a time.
public final class FakeSource: FrameSource {
  public let deviceID: String
  public let streamID: UInt64
  public let format: StreamFormat
  /// What it was started with.
  public let request: StreamRequest
  public let pool: FramePool
  /// One element for each ``stop()``, the harmless ones too.
  public let stops = Recorder<Void>()
  /// Close it to keep ``stop()`` from returning.
  public let stopping = Gate()

  private struct State {
    var isLive = true
    var nextSequence: UInt64 = 0
  }
  private let state = Mutex(State())
  private let sink: any FrameSink
  private let onEnd: @Sendable () -> Void

  init(
    deviceID: String, format: StreamFormat, request: StreamRequest, pool: FramePool, sink: any FrameSink,
    onEnd: @escaping @Sendable () -> Void
  ) {
    self.deviceID = deviceID
    self.streamID = StreamID.next()
    self.format = format
    self.request = request
    self.pool = pool
    self.sink = sink
    self.onEnd = onEnd
  }

  /// Publishes one frame before returning.
  ///
  /// - Parameters:
  ///   - sequence: nil counts on from the last one, from 0.
  ///   - time: when it was captured; nil is one frame period per sequence number.
  ///   - value: every byte of the picture, so its luma in the luma plane.
  /// - Returns: nil when the source ended or its pool is used up; the sink saw nothing then.
  @discardableResult
  public func send(
    sequence: UInt64? = nil, at time: MonotonicInstant? = nil, filledWith value: UInt8 = 128,
    missing: DropCounts = DropCounts()
  ) -> Frame? {
    let number: UInt64? = state.withLock { state in
      guard state.isLive else { return nil }
      let number = sequence ?? state.nextSequence
      state.nextSequence = number + 1
      return number
    }
    guard let number else { return nil }
    let period = UInt64(1_000_000_000 / max(1, format.frameRate.value))
    let frame = Frame.fake(
      sequence: number, streamID: streamID, at: time ?? .epoch + (number + 1) * period, layout: format.layout,
      filledWith: value, missing: missing, pool: pool)
    if let frame { sink.receive(frame) }
    return frame
  }

  /// Publishes `count` frames.
  public func send(count: Int) {
    for _ in 0..<count { send() }
  }

  /// Tells of a picture that is damaged.
  public func damage() { if isLive { sink.pictureWasDamaged() } }

  /// Ends the stream as a lost device does. Only the first call counts, and none after ``stop()``.
  public func lose(_ error: CaptureError = CaptureError(.deviceDisconnected, "The fake device was unplugged.")) {
    if end() { sink.sourceDidEnd(error) }
  }

  /// Says that it brings no frames any more, as a stalled device does; ``lose(_:)`` is to follow.
  public func stall(_ error: CaptureError = .stalled(device: "fake-0", silence: 1_000_000_000)) {
    if isLive { sink.sourceDidStall(error) }
  }

  public func stop() async {
    await stopping.pass()
    _ = end()
    stops.append(())
  }

  /// Whether it was not stopped or lost yet.
  public var isLive: Bool { state.withLock(\.isLive) }

  private func end() -> Bool {
    let wasLive = state.withLock { state in
      defer { state.isLive = false }
      return state.isLive
    }
    if wasLive { onEnd() }
    return wasLive
  }
}
