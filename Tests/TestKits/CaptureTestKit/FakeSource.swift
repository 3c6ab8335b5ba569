public import CaptureCore
internal import Synchronization
public import SystemClocks

/// A source that publishes a frame when a test tells it to. ``FakeProvider`` makes it.
///
/// The thread of the test stands for the capture thread, so only one task at a time may send frames.
public final class FakeSource: FrameSource {
  /// The ``Device/id`` of the camera.
  public let deviceID: String
  /// The ``Frame/streamID`` of every frame of this source.
  public let streamID: UInt64
  /// The format of the stream.
  public let format: StreamFormat
  /// The request that the source was started with.
  public let request: StreamRequest
  /// The pool that gives the memory of the frames.
  public let pool: FramePool
  /// One element for each ``stop()``, even when the source had ended before.
  public let stops = Recorder<Void>()
  /// A gate in ``stop()``. While the gate is closed, ``stop()`` does not return and the source stays live.
  public let stopping = Gate()

  private struct State {
    var isLive = true
    var nextSequence: UInt64 = 0
  }
  private let state = Mutex(State())
  /// Held while a frame is published. The end of the stream waits for it, as a real source joins its capture thread.
  private let publishing = Mutex(())
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

  /// Publishes one frame, which the sink has received when this method returns.
  ///
  /// - Parameters:
  ///   - sequence: the frame's sequence number; nil for the number after the last one, or 0 for the first frame.
  ///   - time: when the frame was captured; nil for the instant that is one frame period later per sequence number,
  ///     with the first frame one period after the clock's epoch.
  ///   - value: the value of every byte of the picture, so also of its luma.
  ///   - missing: the frames that the driver left out before this one.
  ///   - revision: the revision by which the frame was composed; nil for a frame of a camera.
  /// - Returns: nil when the source has ended or its pool is used up; in this case, the sink received nothing.
  @discardableResult
  public func send(
    sequence: UInt64? = nil, at time: MonotonicInstant? = nil, filledWith value: UInt8 = 128,
    missing: DropCounts = DropCounts(), ofRevision revision: UInt64? = nil
  ) -> Frame? {
    publishing.withLock { _ in publish(sequence, at: time, filledWith: value, missing: missing, revision) }
  }

  private func publish(
    _ sequence: UInt64?, at time: MonotonicInstant?, filledWith value: UInt8, missing: DropCounts,
    _ revision: UInt64?
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
    if let frame {
      if let revision { sink.receive(frame, ofRevision: revision) } else { sink.receive(frame) }
    }
    return frame
  }

  /// Publishes `count` frames with the default values of ``send(sequence:at:filledWith:missing:ofRevision:)``.
  public func send(count: Int) {
    for _ in 0..<count { send() }
  }

  /// Tells the sink that the camera delivered a damaged picture. A source that has ended tells nothing.
  public func damage() { if isLive { sink.pictureWasDamaged() } }

  /// Ends the stream with `error`, as a lost device does. Only the first call has an effect, and no call after
  /// ``stop()`` has one.
  public func lose(_ error: CaptureError = CaptureError(.deviceDisconnected, "The fake device was unplugged.")) {
    if end() { sink.sourceDidEnd(error) }
  }

  /// Tells the sink that the camera stopped delivering frames, as the source of a stalled camera does. The source stays
  /// live until the test calls ``lose(_:)``, which has to follow.
  public func stall(_ error: CaptureError = .stalled(device: "fake-0", silence: 1_000_000_000)) {
    if isLive { sink.sourceDidStall(error) }
  }

  /// Passes the gate ``stopping``, ends the stream, and records the call in ``stops``.
  public func stop() async {
    await stopping.pass()
    _ = end()
    stops.append(())
  }

  /// Whether the source was neither stopped nor lost yet.
  public var isLive: Bool { state.withLock(\.isLive) }

  private func end() -> Bool {
    let wasLive = publishing.withLock { _ in
      state.withLock { state in
        defer { state.isLive = false }
        return state.isLive
      }
    }
    if wasLive { onEnd() }
    return wasLive
  }
}
