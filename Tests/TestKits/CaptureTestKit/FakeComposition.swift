public import CaptureCore
internal import Synchronization

/// A `DerivedInput` that composes nothing: a test makes its sources bring frames. Thread-safe.
public final class FakeComposition: DerivedInput {
  /// Makes compositions, for a test that does not look at them.
  public static let make: CompositionMaker = { FakeComposition(id: $0, layers: $1) }

  /// The id of the composition's input.
  public let id: String
  /// The plan of each ``follow(_:)``.
  public let plans = Recorder<CompositionPlan>()
  /// The argument of each ``setWaiting(_:)`` that changed something.
  public let waits = Recorder<Bool>()
  /// Every frame of a camera that it received.
  public let frames = Recorder<CapturedFrame>()
  /// Every source that it started.
  public let sources = Recorder<FakeSource>()
  /// One element for each ``close(_:)``.
  public let closings = Recorder<CaptureError>()
  private let isLive = Mutex(false)

  /// Creates a composition without a source.
  public init(id: String, layers: [CompositionLayer]) { self.id = id }

  /// Records the plan.
  public func follow(_ plan: CompositionPlan) { plans.append(plan) }

  /// Records a change.
  public func setWaiting(_ isWaiting: Bool) {
    if waits.all.last ?? false != isWaiting { waits.append(isWaiting) }
  }

  /// Starts a source that brings a frame when a test asks for it.
  public func start(
    _ format: StreamFormat, patience: StallPatience, pool: FramePool, sink: any FrameSink
  ) throws(CaptureError) -> any FrameSource {
    let isFree = isLive.withLock { isLive in
      defer { isLive = true }
      return !isLive
    }
    guard isFree else { throw CaptureError(.deviceInUse, "The composition \(id) is streaming already.") }
    var request = StreamRequest(
      pixelFormat: format.layout.pixelFormat, size: format.layout.size, frameRate: format.frameRate)
    request.patience = patience
    let source = FakeSource(deviceID: id, format: format, request: request, pool: pool, sink: sink) { [weak self] in
      self?.isLive.withLock { $0 = false }
    }
    sources.append(source)
    return source
  }

  /// Does nothing.
  public func prepare() async throws(CaptureError) {}

  /// Records the frame.
  public func receive(_ frame: CapturedFrame) { frames.append(frame) }

  /// Does nothing.
  public func update(_ conditions: OutputConditions) {}

  /// Records the error.
  public func close(_ error: CaptureError) { closings.append(error) }
}
