internal import CaptureCore
internal import FirstlightAPI
internal import FrameDelivery
internal import Locking
internal import SwiftProtobuf

/// One stream of a viewfinder: its contents, the runs of its parts, and its messages. Thread-safe.
final class Viewfinder: AcknowledgedStream {
  /// A part that is to be served.
  struct Run: Sendable {
    let part: ViewfinderPart
    /// Names the run in the stream of messages. A part that comes again has another number.
    let number: Int
    /// Ends when the part is to stop.
    let stops: AsyncStream<Never>
  }

  private struct Running: Sendable {
    let number: Int
    let stop: AsyncStream<Never>.Continuation
  }

  private struct State {
    var running: [ViewfinderPart: Running] = [:]
    /// The runs that nobody serves yet.
    var starts: [Run] = []
    var lastNumber = 0
    var revision: UInt64 = 0
  }
  private let state = Locked(State())

  /// Names the viewfinder for UpdateViewfinder and AcknowledgeFrames.
  let token = RandomToken.make()
  let messages = ViewfinderStream()
  /// Has an element when there are new runs, see ``takeStarts()``.
  let changes: AsyncStream<Void>
  private let changed: AsyncStream<Void>.Continuation

  /// Makes a viewfinder that shows nothing.
  init() { (changes, changed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

  func acknowledge(_ number: UInt64) { messages.acknowledge(number) }

  /// Shows `contents` from now on. Parts that are shown already go on.
  ///
  /// - Returns: the revision of the contents.
  func show(_ contents: Set<ViewfinderPart>) -> UInt64 {
    let (ended, revision) = state.withLock { state in
      let ended = state.running.filter { !contents.contains($0.key) }
      for part in ended.keys { state.running[part] = nil }
      var new: [Int] = []
      state.starts.removeAll { !contents.contains($0.part) }
      for part in contents where state.running[part] == nil {
        state.lastNumber += 1
        new.append(state.lastNumber)
        let (stops, stop) = AsyncStream.makeStream(of: Never.self)
        state.running[part] = Running(number: state.lastNumber, stop: stop)
        state.starts.append(Run(part: part, number: state.lastNumber, stops: stops))
      }
      state.revision += 1
      let revision = state.revision
      // The messages change under this lock, so that the statuses of two updates keep their order.
      messages.change(
        ending: ended.values.map(\.number), beginning: new,
        .status(.with { ($0.streamToken, $0.revision) = (token, revision) }))
      return (ended, revision)
    }
    for run in ended.values { run.stop.finish() }
    messages.serve()
    changed.yield()
    return revision
  }

  /// Returns the parts that are to be served from now on, each once.
  func takeStarts() -> [Run] {
    state.withLock { state in
      defer { state.starts = [] }
      return state.starts
    }
  }
}
