public import CaptureCore
internal import Synchronization

/// A ``CompositionInput`` that composes on a thread of its own while a source runs.
public final class Composition: CompositionInput {
  /// The id of the composition's input, which is also the name of its thread.
  public let id: String

  private struct State {
    var layers: [CompositionLayer]
    /// Nil before it is known; then every frame of the first layer makes a picture.
    var pace: CompositionPace?
    var isWaiting = false
    var source: CompositionSource?
  }
  private let state: Mutex<State>

  /// Makes a composition without a source.
  public init(id: String, layers: [CompositionLayer]) {
    self.id = id
    state = Mutex(State(layers: layers))
  }

  /// Replaces the layers at once; see ``CompositionInput/setLayers(_:pace:)``.
  public func setLayers(_ layers: [CompositionLayer], pace: CompositionPace) {
    state.withLock { state in
      (state.layers, state.pace) = (layers, pace)
      state.source?.setLayers(layers, pace: pace)
    }
  }

  /// Lets the composition wait for its first layer; see ``CompositionInput/setWaiting(_:)``.
  public func setWaiting(_ isWaiting: Bool) {
    state.withLock { state in
      state.isWaiting = isWaiting
      state.source?.setWaiting(isWaiting)
    }
  }

  /// Starts a source; see ``CompositionInput/start(_:patience:pool:sink:)``.
  public func start(
    _ format: StreamFormat, patience: StallPatience, pool: FramePool, sink: any FrameSink
  ) throws(CaptureError) -> any FrameSource {
    let source: CompositionSource? = state.withLock { state in
      guard state.source == nil else { return nil }
      state.source = CompositionSource(
        id: id, layers: state.layers, pace: state.pace ?? CompositionPace(rate: format.frameRate, isSlower: false),
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
