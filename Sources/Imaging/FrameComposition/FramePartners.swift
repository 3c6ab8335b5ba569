internal import CaptureCore
internal import SystemClocks

/// Decides which frames of several inputs make up each picture of a composition, and when it is composed. A value
/// without threads and clocks: the caller passes the time in, and composes.
///
/// The frames of the first layer are the clock: one picture is due for each of them, or for some of them when the
/// composition has a lower rate. A picture waits for the other layers while a nearer frame of theirs may still come,
/// and at most for ``patience`` of the composition's periods.
///
/// The pace changes with the first layer, because the first layer's camera may have another rate.
///
/// Of each input, at most ``heldFrames`` frames wait, and one more is the frame that the newest picture shows. A camera
/// must have memory for these besides the frames that other users hold.
struct FramePartners: Sendable {
  /// The most frames of an input that wait.
  static let heldFrames = CompositionLayout.maximumHeldFrames - 1
  /// How many periods of the composition a picture waits for other layers at most. At this rate there are then never
  /// more than ``heldFrames`` pictures due.
  static let patience: UInt64 = 3

  /// The stream of a camera whose frames are the clock.
  struct ClockStream: Hashable, Sendable {
    /// The id of the first layer's input.
    var input: String
    /// The camera's stream.
    var streamID: UInt64
  }

  /// A picture to compose.
  struct Choice: Sendable {
    /// The frame of the first layer, whose time and sequence number the picture has.
    var clock: CapturedFrame
    /// The layers that the picture shows.
    var layers: [CompositionLayer]
    /// The revision of the configuration that has these layers.
    var revision: UInt64
    /// The frame of each layer; nil when the layer shows nothing.
    var frames: [CapturedFrame?]
    /// For each layer, whether it has no frame near enough in time.
    var isStale: [Bool]
    /// The first layer's frames that were lost since the picture before.
    var missing: DropCounts

    /// The stream of the clock.
    var stream: ClockStream { ClockStream(input: clock.input, streamID: clock.frame.streamID) }
  }

  private struct Due {
    var frame: CapturedFrame
    var arrived: MonotonicInstant
    var missing: DropCounts
  }

  private var plan: CompositionPlan
  private var inputs: [String: LayerFrames] = [:]
  /// The first revision in which the input of a layer has its present camera.
  private var since: [String: UInt64] = [:]
  /// Chooses the frames of the first layer that make a picture; nil when all do.
  private var pacing: FramePacing?
  private var stream: ClockStream?
  /// The pictures that wait, oldest first.
  private var due: [Due] = []
  /// The picture that the caller composes.
  private var current: Due?
  private var newestDue: MonotonicInstant?
  /// Frames of the first layer that were lost since the newest picture that is due.
  private var lost = DropCounts()

  /// Makes an object that has got no frames.
  init(_ plan: CompositionPlan) {
    self.plan = plan
    since = plan.cameras.mapValues { _ in plan.revision }
    beginPacing()
  }

  var layers: [CompositionLayer] { plan.layers }

  var pace: CompositionPace { plan.pace }

  private mutating func beginPacing() { pacing = pace.isSlower ? FramePacing(rate: pace.rate) : nil }

  /// The time from one picture to the next, nanoseconds.
  private var period: UInt64 { UInt64(1e9 / pace.rate.value) }

  /// Whether the clock's camera is more than 1 % faster than the composition, by the time stamps of its frames. The
  /// rate that a driver gives may be unknown or wrong, and a camera that is only a little fast must lose no frame.
  private func isFaster(_ interval: UInt64?) -> Bool { interval.map { $0 < period / 100 * 99 } ?? true }

  /// Whether a layer shows the input.
  func shows(_ input: String) -> Bool { layers.contains { $0.input == input } }

  /// Whether a layer shows the camera of the frame, and not only the input that the camera had before.
  private func shows(_ frame: CapturedFrame) -> Bool {
    shows(frame.input) && frame.configRevision >= since[frame.input] ?? 0
  }

  /// The frames of an input that are held now.
  func held(of input: String) -> Int {
    let frames = inputs[input]
    let clocks = due + (current.map { [$0] } ?? [])
    return (frames?.waiting.count ?? 0) + (frames?.shown == nil ? 0 : 1) + clocks.count { $0.frame.input == input }
  }

  // MARK: Frames

  /// Takes the next frame of an input, at the time at which it came. A frame of a camera that no layer shows has no
  /// effect.
  mutating func receive(_ frame: CapturedFrame, at now: MonotonicInstant) {
    guard shows(frame), inputs[frame.input, default: LayerFrames()].receive(frame, at: now),
      frame.input == layers.first?.input
    else { return }
    inputs[frame.input]?.removeNewest()
    noteStream(of: frame)
    let instant = frame.frame.time.monotonic
    lost += frame.frame.missing
    // After the first layer was given another input, the new clock may be behind the former one.
    if let newestDue, instant <= newestDue { return }
    let interval = inputs[frame.input]?.timing.period
    guard !isFaster(interval) || pacing?.keeps(instant, interval: interval ?? 0) ?? true else { return }
    newestDue = instant
    due.append(Due(frame: frame, arrived: now, missing: lost))
    lost = DropCounts()
    // The caller is too slow.
    if due.count + (current == nil ? 0 : 1) > Self.heldFrames { drop(DropCounts(late: 1)) }
  }

  /// Begins anew when the clock has another stream.
  private mutating func noteStream(of frame: CapturedFrame) {
    let present = ClockStream(input: frame.input, streamID: frame.frame.streamID)
    guard stream != present else { return }
    stream = present
    beginPacing()
    while !due.isEmpty { drop(DropCounts(discontinuity: 1)) }
  }

  /// Takes another plan. Pictures that are due get the new layers, unless the first layer has another input or another
  /// camera; then they are lost.
  mutating func follow(_ new: CompositionPlan) {
    let former = plan
    plan = new
    if pace != former.pace { beginPacing() }
    let others = Set(new.cameras.keys.filter { new.cameras[$0] != former.cameras[$0] })
    inputs = inputs.filter { shows($0.key) && !others.contains($0.key) }
    // The revision is lower than the one before when a commit has failed.
    since = new.cameras.reduce(into: [:]) { since, camera in
      let former = others.contains(camera.key) ? nil : self.since[camera.key]
      since[camera.key] = min(former ?? new.revision, new.revision)
    }
    guard let clock = former.layers.first?.input, clock != layers.first?.input || others.contains(clock) else { return }
    while !due.isEmpty { drop(DropCounts(discontinuity: 1)) }
    if let input = layers.first?.input { inputs[input]?.removeWaiting() }
  }

  // MARK: Pictures

  /// When to compose the oldest picture that is due: now, when the instant is not later than `now`. A frame that comes
  /// meanwhile may change the instant. Nil when no picture is due.
  func instant(at now: MonotonicInstant) -> MonotonicInstant? {
    if current != nil { return now }
    guard let oldest = due.first else { return nil }
    let captured = oldest.frame.frame.time.monotonic
    let others = layers.lazy.filter { $0.input != oldest.frame.input }
    let awaited = others.compactMap { inputs[$0.input]?.timing.awaits(captured, at: now) }.max()
    return min(awaited ?? now, oldest.arrived + Self.patience * period)
  }

  /// Begins the oldest picture that is due. The caller composes it, and then calls ``composed(_:)``, ``lose(_:)`` or
  /// ``reject(_:_:)``. After the last of these, this method chooses again for the same picture.
  ///
  /// - Returns: what the picture shows; nil when none is due.
  mutating func begin() -> Choice? {
    if current == nil, !due.isEmpty { current = due.removeFirst() }
    guard let current else { return nil }
    let captured = current.frame.frame.time.monotonic
    var choice = Choice(
      clock: current.frame, layers: layers, revision: plan.revision, frames: [], isStale: [], missing: current.missing)
    for layer in layers {
      let (frame, isStale) =
        layer.input == current.frame.input
        ? (current.frame, false)
        : inputs[layer.input]?.choose(at: captured, period: period) ?? (nil, true)
      choice.frames.append(frame)
      choice.isStale.append(isStale)
    }
    return choice
  }

  /// Notes that the picture was composed as chosen.
  mutating func composed(_ choice: Choice) {
    current = nil
    for frame in choice.frames {
      if let frame, shows(frame) { inputs[frame.input]?.show(frame) }
    }
  }

  /// Notes that a frame of the choice cannot be shown. If it is the frame of the clock, the picture is lost.
  ///
  /// - Parameter cause: how the loss of the picture counts.
  mutating func reject(_ frame: CapturedFrame, _ cause: DropCounts) {
    inputs[frame.input]?.forget(frame)
    // The first layer may have been given another camera meanwhile.
    let isClock = current.map { $0.frame.input == layers.first?.input && shows($0.frame) } ?? false
    if current?.frame === frame || !isClock { lose(cause) }
  }

  /// Gives up the picture that was begun. The next one reports the loss.
  mutating func lose(_ cause: DropCounts) {
    guard let current else { return }
    self.current = nil
    report(current.missing, cause)
  }

  /// Gives up the oldest picture that waits.
  private mutating func drop(_ cause: DropCounts) { report(due.removeFirst().missing, cause) }

  private mutating func report(_ missing: DropCounts, _ cause: DropCounts) {
    var missing = missing
    missing += cause
    if due.isEmpty { lost += missing } else { due[0].missing += missing }
  }
}
