public import CaptureCore
internal import Locking

/// A ``DerivedInput`` that composes on a thread of its own while a source runs.
public final class Composition: DerivedInput {
  /// The id of the composition's input, which is also the name of its thread.
  public let id: String

  private struct State {
    let layers: [CompositionLayer]
    /// Nil before the first; then every frame of the first layer makes a picture of ``layers``.
    var plan: CompositionPlan?
    var isWaiting = false
    var source: CompositionSource?
  }
  private let state: Locked<State>

  /// Makes a composition without a source.
  public init(id: String, layers: [CompositionLayer]) {
    self.id = id
    state = Locked(State(layers: layers))
  }

  /// Takes another plan at once; see ``DerivedInput/follow(_:)``.
  public func follow(_ plan: CompositionPlan) {
    state.withLock { state in
      state.plan = plan
      state.source?.follow(plan)
    }
  }

  /// Lets the composition wait for its first layer; see ``DerivedInput/setWaiting(_:)``.
  public func setWaiting(_ isWaiting: Bool) {
    state.withLock { state in
      state.isWaiting = isWaiting
      state.source?.setWaiting(isWaiting)
    }
  }

  /// Starts a source; see ``DerivedInput/start(_:patience:pool:sink:)``.
  public func start(
    _ format: StreamFormat, patience: StallPatience, pool: FramePool, sink: any FrameSink
  ) throws(CaptureError) -> any FrameSource {
    let source: CompositionSource? = state.withLock { state in
      guard state.source == nil else { return nil }
      let every = CompositionPace(rate: format.frameRate, isSlower: false)
      state.source = CompositionSource(
        id: id, plan: state.plan ?? CompositionPlan(layers: state.layers, pace: every, revision: 0),
        isWaiting: state.isWaiting, format: format, patience: patience, pool: pool, sink: sink,
        onEnd: { [weak self] in self?.sourceDidEnd($0) })
      return state.source
    }
    guard let source else {
      throw CaptureError(
        .deviceInUse, "Composition \(id) is streaming already; stop that stream first.", metadata: ["device": id])
    }
    do { try source.launch() } catch {
      sourceDidEnd(source)
      throw error
    }
    return source
  }

  private func sourceDidEnd(_ source: CompositionSource) {
    state.withLock { if $0.source === source { $0.source = nil } }
  }

  // MARK: CaptureOutput

  /// Does nothing, because the thread of the source makes everything that it needs.
  public func prepare() async throws(CaptureError) {}

  /// Takes a frame of a camera. Without a source, or when no layer shows the camera, the frame has no effect.
  public func receive(_ frame: CapturedFrame) { state.withLock(\.source)?.receive(frame) }

  /// Does nothing, because no client reads from this output.
  public func update(_ conditions: OutputConditions) {}

  /// Ends the source, if one runs.
  public func close(_ error: CaptureError) { state.withLock(\.source)?.cancel() }
}
