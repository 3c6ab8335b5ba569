internal import CaptureCore
internal import Synchronization

/// Where the frames of a camera go: into the ring, then to every connected output, in order.
///
/// Lives as long as its pipeline; sources come and go. Called on the capture thread of the source that runs.
final class FrameFanOut: Sendable {
  fileprivate struct State {
    var input = ""
    var camera = ""
    var revision: UInt64 = 0
    var streamID: UInt64 = 0
    /// When the newest frame was captured; nil when a run has none yet.
    var newest: UInt64?
    var rate: Rational?
    var previews = Lane()
    var others = Lane()
  }

  /// Outputs that get frames at the same rate.
  fileprivate struct Lane {
    var outputs: [any CaptureOutput] = []
    /// Which frames they get; nil for all.
    var decimation: FrameDecimation?
    /// What was lost before frames that were left out.
    var carried = DropCounts()
  }
  private let state = Mutex(State())
  let ring: FrameRing
  private let damage = Atomic<UInt64>(0)
  let settling: SettlingWatch?
  private let onFirstFrame: @Sendable (Frame, UInt64?) -> Void

  /// - Parameter onFirstFrame: called on the capture thread with the first frame of each stream, and with how long before it
  ///   the former stream's last frame was captured, nanoseconds; nil when none came since ``endRun()``. Must not block.
  init(ring: FrameRing, settling: SettlingWatch? = nil, onFirstFrame: @escaping @Sendable (Frame, UInt64?) -> Void) {
    self.ring = ring
    self.settling = settling
    self.onFirstFrame = onFirstFrame
  }

  /// How many pictures of all its sources were damaged.
  var damagedPictures: UInt64 { damage.load(ordering: .relaxed) }

  /// Counts a picture that is damaged and will not be published.
  func noteDamage() { damage.wrappingAdd(1, ordering: .relaxed) }

  /// `streamID` of the newest frame; 0 before the first.
  var newestStream: UInt64 { state.withLock(\.streamID) }

  /// What the next frames carry and where they go.
  ///
  /// - Parameters:
  ///   - outputs: those that are no previews.
  ///   - previews: may be given fewer frames.
  ///   - camera: the camera's name for people.
  func configure(
    outputs: [any CaptureOutput], previews: [any CaptureOutput] = [], input: String, camera: String = "",
    revision: UInt64
  ) {
    state.withLock { state in
      state.previews.outputs = previews
      state.others.outputs = outputs
      state.input = input
      state.camera = camera
      state.revision = revision
    }
  }

  /// Gives outputs at most so many frames per second of a stream from now on. Ends with the stream.
  ///
  /// - Parameters:
  ///   - deviceRate: frames per second of the stream.
  ///   - rate: of every output; nil gives them all frames.
  ///   - previewRate: of previews; nil gives them what the others get.
  func setRates(streamID: UInt64, deviceRate: Rational, rate: Rational?, previewRate: Rational?) {
    func decimation(_ rate: Rational?, of given: Rational) -> FrameDecimation? {
      rate.map { FrameDecimation(streamID: streamID, rate: $0, deviceRate: given) }
    }
    state.withLock { state in
      state.previews.decimation = decimation(previewRate, of: rate ?? deviceRate)
      state.others.decimation = decimation(rate, of: deviceRate)
      state.rate = min(rate ?? deviceRate, deviceRate)
    }
  }

  /// Frames per second that outputs other than previews get, as set last; nil before the first stream.
  var rate: Rational? { state.withLock(\.rate) }

  /// Lets the next stream follow upon none: the session was stopped. No source may run.
  func endRun() { state.withLock { $0.newest = nil } }

  func publish(_ frame: Frame) {
    let instant = frame.time.monotonicNanoseconds
    let (captured, deliveries, isFirst, gap) = state.withLock { state in
      let isFirst = state.streamID != frame.streamID
      let gap = state.newest.map { instant - min($0, instant) }
      state.streamID = frame.streamID
      state.newest = instant
      let captured = CapturedFrame(
        frame: frame, input: state.input, configRevision: state.revision, camera: state.camera)
      let others = state.others.delivery(of: captured)
      // Previews show some of the frames that programs get, never others: a program may answer what a preview shows.
      let previews = state.previews.delivery(of: captured, isOffered: others != nil)
      return (captured, (previews, others), isFirst, gap)
    }
    ring.append(captured)
    if isFirst { onFirstFrame(frame, gap) }
    if let (due, previews) = deliveries.0 { for output in previews { output.receive(due) } }
    if let (due, others) = deliveries.1 { for output in others { output.receive(due) } }
    settling?.offer(frame)
  }
}

extension FrameFanOut.Lane {
  /// The frame as outputs get it, with what was lost before those left out since the last; nil to leave it out too.
  fileprivate mutating func delivery(
    of captured: CapturedFrame, isOffered: Bool = true
  ) -> (CapturedFrame, [any CaptureOutput])? {
    let frame = captured.frame
    // Ends with its stream.
    if decimation?.streamID != frame.streamID { decimation = nil }
    guard isOffered, decimation?.keeps(frame.time.monotonicNanoseconds) != false else {
      carried += frame.missing
      return nil
    }
    guard carried.total > 0 else { return (captured, outputs) }
    let due = captured.with(frame.counting(carried))
    carried = DropCounts()
    return (due, outputs)
  }
}

extension Frame {
  /// The same picture, with `lost` counted before it too.
  fileprivate func counting(_ lost: DropCounts) -> Frame {
    var missing = missing
    missing += lost
    return Frame(
      streamID: streamID, sequence: sequence, time: time, layout: layout, buffer: buffer, missing: missing,
      sensor: sensor)
  }
}
