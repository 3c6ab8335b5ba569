internal import CaptureCore
internal import Locking
internal import SystemClocks

/// Gives each frame of a camera to the ring, then to every connected output in order.
///
/// The fan-out lives as long as its pipeline, while sources come and go. The capture thread of the running source calls
/// it.
final class FrameFanOut: Sendable {
  fileprivate struct State {
    var input = ""
    var camera = ""
    var device = ""
    var revision: UInt64 = 0
    var streamID: UInt64 = 0
    /// When the first frame of that stream was captured.
    var first: MonotonicInstant?
    /// When the newest frame was captured; nil while no frame has come since ``endRun()``.
    var newest: MonotonicInstant?
    var rate: Rational?
    /// By the id of the input; of another one than the present only while a commit may still fail.
    var counts: [String: CameraCounts] = [:]
    var previews = Lane()
    var others = Lane()
    /// Never has a decimation.
    var movies: [any CaptureOutput] = []
    /// Get every frame, too.
    var taps: [any FrameTap] = []
  }

  /// A group of outputs that get frames at the same rate.
  fileprivate struct Lane {
    var outputs: [any CaptureOutput] = []
    /// Selects the frames that the outputs get; nil for all.
    var decimation: FrameDecimation?
    /// The dropped frames that were reported by frames which the lane left out. The next frame that it delivers reports
    /// them.
    var carried = DropCounts()
  }
  private let state = Locked(State())
  let ring: FrameRing
  let settling: SettlingWatch?
  private let onFirstFrame: @Sendable (CapturedFrame, UInt64?) -> Void

  /// - Parameter onFirstFrame: called on the capture thread with the first frame of each stream, and with the gap to
  ///   the former stream: the nanoseconds between the captures of the former stream's last frame and this one. The gap
  ///   is nil when no frame has come since ``endRun()``. The function must not block.
  init(
    ring: FrameRing, settling: SettlingWatch? = nil, onFirstFrame: @escaping @Sendable (CapturedFrame, UInt64?) -> Void
  ) {
    self.ring = ring
    self.settling = settling
    self.onFirstFrame = onFirstFrame
  }

  /// What the sources of an input have brought since it was added.
  func counts(of input: String) -> CameraCounts { state.withLock { $0.counts[input] ?? CameraCounts() } }

  /// Counts a damaged picture, which is not published.
  func noteDamage() { state.withLock { $0.counts[$0.input, default: CameraCounts()].damagedPictures += 1 } }

  /// `streamID` of the newest frame; 0 before the first.
  var newestStream: UInt64 { state.withLock(\.streamID) }

  /// The stream of the newest frame, and when its first frame was captured; nil before the first frame.
  var newestStart: (streamID: UInt64, captured: MonotonicInstant)? {
    state.withLock { state in state.first.map { (state.streamID, $0) } }
  }

  /// Sets where the next frames go, and the names and revision that they carry.
  ///
  /// - Parameters:
  ///   - outputs: the connected outputs that are neither previews nor movies.
  ///   - previews: the connected previews, which may get fewer frames than the other outputs.
  ///   - movies: the connected outputs that get every frame, whatever the limits are.
  ///   - input: the input's id.
  ///   - camera: the camera's name for people.
  ///   - device: the id of the device, as ``CapturedFrame/device``.
  ///   - revision: the revision of the configuration.
  ///   - isProvisional: whether a commit may still fail, so that the former input keeps its counts.
  func configure(
    outputs: [any CaptureOutput], previews: [any CaptureOutput] = [], movies: [any CaptureOutput] = [], input: String,
    camera: String = "", device: String = "", revision: UInt64, isProvisional: Bool = false
  ) {
    state.withLock { state in
      state.previews.outputs = previews
      state.movies = movies
      state.others.outputs = outputs
      if !isProvisional { state.counts = state.counts.filter { $0.key == input } }
      state.input = input
      state.camera = camera
      state.device = device
      state.revision = revision
    }
  }

  /// Sends the next frames only to those of the present outputs that are in `staying`.
  func leave(except staying: Set<ObjectIdentifier>) {
    func isLeaving(_ output: any CaptureOutput) -> Bool { !staying.contains(ObjectIdentifier(output)) }
    state.withLock { state in
      state.previews.outputs.removeAll(where: isLeaving)
      state.others.outputs.removeAll(where: isLeaving)
      state.movies.removeAll(where: isLeaving)
    }
  }

  /// Gives `tap` every frame from now on, or no frame any more.
  func setTap(_ tap: any FrameTap, isOn: Bool) {
    state.withLock { state in
      state.taps.removeAll { $0 === tap }
      if isOn { state.taps.append(tap) }
    }
  }

  /// Limits the rate at which outputs get the frames of a stream from now on. The limits end with the stream.
  ///
  /// - Parameters:
  ///   - deviceRate: frames per second of the stream.
  ///   - rate: frames per second for every output but movies; nil gives outputs every frame.
  ///   - previewRate: frames per second for previews; nil gives previews the frames that the other outputs get.
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

  /// Frames per second that outputs other than previews get, as ``setRates(streamID:deviceRate:rate:previewRate:)``
  /// last set; nil before the first stream.
  var rate: Rational? { state.withLock(\.rate) }

  /// How long captures wait for frames, nanoseconds. It depends on ``rate``.
  var patienceNanoseconds: UInt64 {
    rate.map { FramePatience.nanoseconds(at: $0.value) } ?? FramePatience.shortest
  }

  /// Ends the run because the session was stopped: the first frame of the next stream reports no gap. No source may be
  /// running.
  func endRun() { state.withLock { $0.newest = nil } }

  /// Sends a frame to the ring and the outputs.
  ///
  /// - Parameter revision: the revision by which the frame was composed; nil for that of the configuration.
  func publish(_ frame: Frame, of revision: UInt64? = nil) {
    let instant = frame.time.monotonic
    let (captured, deliveries, movies, taps, isFirst, gap) = state.withLock { state in
      let isFirst = state.streamID != frame.streamID
      let gap = state.newest.map { instant.nanoseconds(since: $0) }
      state.streamID = frame.streamID
      state.counts[state.input, default: CameraCounts()].note(frame)
      if isFirst { state.first = instant }
      state.newest = instant
      let captured = CapturedFrame(
        frame: frame, input: state.input, configRevision: revision ?? state.revision, camera: state.camera,
        device: state.device)
      let others = state.others.delivery(of: captured)
      // Previews get only frames that the other outputs get as well, because a program may answer the frames that a
      // preview shows.
      let previews = state.previews.delivery(of: captured, isOffered: others != nil)
      return (captured, (previews, others), state.movies, state.taps, isFirst, gap)
    }
    ring.append(captured)
    if isFirst { onFirstFrame(captured, gap) }
    if let (due, previews) = deliveries.0 { for output in previews { output.receive(due) } }
    if let (due, others) = deliveries.1 { for output in others { output.receive(due) } }
    for output in movies { output.receive(captured) }
    for tap in taps { tap.receive(captured) }
    settling?.offer(frame)
  }
}

extension FrameFanOut.Lane {
  /// Returns the frame for the lane's outputs, with the dropped frames that left-out frames reported since the last
  /// delivery; nil when the lane leaves this frame out too.
  fileprivate mutating func delivery(
    of captured: CapturedFrame, isOffered: Bool = true
  ) -> (CapturedFrame, [any CaptureOutput])? {
    let frame = captured.frame
    // A decimation ends with its stream.
    if decimation?.streamID != frame.streamID { decimation = nil }
    // Later coded pictures need this one, so none is left out.
    guard frame.coded != nil || isOffered && decimation?.keeps(frame.time.monotonic) != false else {
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
  /// Returns the same picture, with `lost` added to the dropped frames that it reports.
  fileprivate func counting(_ lost: DropCounts) -> Frame {
    var missing = missing
    missing += lost
    return with(missing: missing)
  }
}

/// Decides which frames of a stream outputs get when they want fewer than the camera delivers. A value.
struct FrameDecimation: Hashable, Sendable {
  /// The stream that this decimation applies to. It ends with the stream.
  let streamID: UInt64
  private let interval: UInt64
  private var pacing: FramePacing

  /// - Parameters:
  ///   - rate: frames per second that outputs get, above 0.
  ///   - deviceRate: frames per second that the driver confirmed; zero when unknown.
  init(streamID: UInt64, rate: Rational, deviceRate: Rational) {
    self.streamID = streamID
    interval = deviceRate.value > 0 ? UInt64(1_000_000_000 / deviceRate.value) : 0
    pacing = FramePacing(rate: rate)
  }

  /// Decides whether outputs get the next frame.
  ///
  /// - Parameter instant: the driver's time stamp of the frame.
  mutating func keeps(_ instant: MonotonicInstant) -> Bool { pacing.keeps(instant, interval: interval) }
}

/// How long captures wait for frames. The wait is generous, because a camera may be slow without having stalled, and a
/// camera that has stalled does not say so.
enum FramePatience {
  static let shortest: UInt64 = 5_000_000_000

  /// Returns the wait at a rate in frames per second: the duration of forty frames, and at least ``shortest``.
  static func nanoseconds(at rate: Double) -> UInt64 { max(shortest, UInt64(40_000_000_000 / max(rate, 0.1))) }
}
