internal import CaptureCore
internal import SystemClocks

/// What is made ready for captures to come, and which call waits for it. A value.
struct PreparedSettings: Sendable {
  typealias Waiter = AsyncThrowingStream<Bool, any Error>.Continuation

  /// What a thread makes ready.
  struct WarmUp: Hashable, Sendable {
    var generation: UInt64
    /// How many photos are to be under way at once.
    var count: Int
    /// One request for each way in which the photos are encoded.
    var kinds: [PhotoRequest] = []
    var layout: FrameLayout
  }

  private var generation: UInt64 = 0
  private var count = 0
  private var kinds: [PhotoRequest] = []
  private var waiter: Waiter?
  /// Keeps the destination's memory free while something is prepared.
  private var memory: MemoryHold?
  private var layout: FrameLayout?
  /// The layout of the frames that memory is ready for, or is being made ready for.
  private var warm: FrameLayout?
  /// Whether a thread warms up. There is one at most, however often clients ask.
  private var isWarming = false
  /// Whether the newest frame is damaged, so that another frame has to come first.
  private(set) var lacksFrame = false

  /// Whether a call waits.
  var isWaiting: Bool { waiter != nil }
  /// Whether nothing is to be kept ready.
  var isEmpty: Bool { count == 0 }

  /// Takes over settings in place of all former ones.
  ///
  /// - Parameter memory: keeps memory free for the photos; nil for no settings.
  /// - Returns: the call that waited for the former settings.
  mutating func set(_ settings: [PhotoRequest], waiter: Waiter, memory: MemoryHold? = nil) -> Waiter? {
    generation += 1
    count = settings.reduce(0) { $0 + $1.photoCount }
    kinds = []
    for kind in settings.map(\.encodingAlone) where !kinds.contains(kind) { kinds.append(kind) }
    warm = nil
    self.memory = memory
    defer { self.waiter = settings.isEmpty ? nil : waiter }
    return self.waiter
  }

  /// Notes the layout of the frames that come.
  mutating func frameArrived(_ layout: FrameLayout) { (self.layout, lacksFrame) = (layout, false) }

  /// Begins a warm-up if one is due: after a new call, or for frames of another size. Only while the session runs.
  mutating func beginWarmUp() -> WarmUp? {
    guard count > 0, !isWarming, !lacksFrame, let layout, warm != layout else { return nil }
    (warm, isWarming) = (layout, true)
    return WarmUp(generation: generation, count: count, kinds: kinds, layout: layout)
  }

  /// Whether no other call took the place of the one that the warm-up is for.
  func isCurrent(_ warmUp: WarmUp) -> Bool { warmUp.generation == generation && count > 0 }

  /// Notes that a warm-up is over.
  ///
  /// - Returns: the call that waited for it; nil when another call took its place, or frames of another size came.
  mutating func warmUpEnded(_ warmUp: WarmUp) -> Waiter? {
    isWarming = false
    guard warmUp.generation == generation else { return nil }
    defer { waiter = nil }
    return waiter
  }

  /// Notes that the frame for the trial photos is damaged, so that the next frame begins the warm-up anew.
  mutating func warmUpFoundDamage(_ warmUp: WarmUp) {
    (isWarming, lacksFrame, warm) = (false, true, nil)
  }

  /// Lets go of everything.
  ///
  /// - Returns: the call that still waits.
  mutating func close() -> Waiter? {
    (count, kinds, memory) = (0, [], nil)
    defer { waiter = nil }
    return waiter
  }
}

extension PhotoRequest {
  /// The request without all that the encoder does not depend on.
  fileprivate var encodingAlone: PhotoRequest {
    PhotoRequest(arrival: .epoch, file: file)
  }
}

/// Recognizes bursts and lowers the quality of their later photos, so that the burst keeps its pace. A value.
struct BurstDetector: Hashable, Sendable {
  /// The time between two requests, in nanoseconds, from which on they do not belong to the same burst. A person who
  /// waits for the next moment takes at least a second, and one who only presses the button again takes less.
  static let longestGap: UInt64 = 1_000_000_000
  /// The number of photos at the beginning of a burst that have the quality that their requests ask for.
  static let unhurried = 3

  private var newest: MonotonicInstant?
  private var count = 0

  /// Counts a request, and returns the quality that its photo gets.
  ///
  /// - Parameter isBusy: as ``resolve(_:at:isBusy:)``.
  mutating func quality(of request: PhotoRequest, _ features: PhotoFeatures, isBusy: Bool) -> PhotoQuality {
    // One flash lights one frame, the photos of a bracket are exposed differently on purpose, and those of several
    // cameras show one instant: none is merged.
    let isSingle =
      request.exposure.flashMode == .on || !request.exposure.bracket.isEmpty || !request.constituents.isEmpty
    let wanted = isSingle ? .speed : request.quality ?? min(.balanced, features.maxQuality)
    let allowed =
      features.fastCapturePrioritization ? resolve(wanted, at: request.arrival, isBusy: isBusy) : wanted
    return request.exposure.mergesBracket ? .quality : allowed
  }

  /// Counts a request, and decides the quality of its photo.
  ///
  /// - Parameters:
  ///   - wanted: the quality that the request asks for.
  ///   - now: when the request arrived.
  ///   - isBusy: whether earlier captures are in progress. The request then belongs to their burst, however long the
  ///     gap is, because the output cannot keep the pace with the quality that the requests ask for.
  /// - Returns: `wanted`, or at most `balanced` later in a burst.
  mutating func resolve(_ wanted: PhotoQuality, at now: MonotonicInstant, isBusy: Bool = false) -> PhotoQuality {
    let isBurst = newest.map { now.nanoseconds(since: $0) < Self.longestGap || isBusy } ?? false
    count = isBurst ? count + 1 : 1
    newest = newest.map { max($0, now) } ?? now
    return count > Self.unhurried ? min(wanted, .balanced) : wanted
  }
}
