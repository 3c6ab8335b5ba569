internal import CaptureCore
internal import SystemClocks

/// What is made ready ahead of captures, and who waits for it. A value.
struct PreparedSettings: Sendable {
  typealias Waiter = AsyncThrowingStream<Bool, any Error>.Continuation

  /// What is to be done now.
  struct WarmUp: Hashable, Sendable {
    var generation: UInt64
    /// Photos at once.
    var count: Int
    /// One request for each way in which they are encoded.
    var kinds: [PhotoRequest] = []
    var layout: FrameLayout
  }

  private var generation: UInt64 = 0
  private var count = 0
  private var kinds: [PhotoRequest] = []
  private var waiter: Waiter?
  private var layout: FrameLayout?
  /// What the memory is ready, or being made ready, for.
  private var warm: FrameLayout?
  /// Whether a thread is at it: there is one at most, however often it is asked for.
  private var isWarming = false
  /// Whether the newest frame is damaged, so that another has to come first.
  private(set) var lacksFrame = false

  /// Whether somebody waits.
  var isWaiting: Bool { waiter != nil }
  /// Whether nothing is to be kept ready.
  var isEmpty: Bool { count == 0 }

  /// Takes the place of all before.
  ///
  /// - Returns: who waited for those.
  mutating func set(_ settings: [PhotoRequest], waiter: Waiter) -> Waiter? {
    generation += 1
    count = settings.reduce(0) { $0 + $1.exposure.photoCount }
    kinds = []
    for kind in settings.map(\.encodingAlone) where !kinds.contains(kind) { kinds.append(kind) }
    warm = nil
    defer { self.waiter = waiter }
    return self.waiter
  }

  mutating func frameArrived(_ layout: FrameLayout) { (self.layout, lacksFrame) = (layout, false) }

  /// What is to be made ready, once: for a new call, or for frames of another size. Only while the session runs.
  mutating func beginWarmUp() -> WarmUp? {
    guard count > 0, !isWarming, !lacksFrame, let layout, warm != layout else { return nil }
    (warm, isWarming) = (layout, true)
    return WarmUp(generation: generation, count: count, kinds: kinds, layout: layout)
  }

  /// Whether no other call took its place.
  func isCurrent(_ warmUp: WarmUp) -> Bool { warmUp.generation == generation && count > 0 }

  /// - Returns: who waits for it; nobody when another call took its place, or frames of another size.
  mutating func warmUpEnded(_ warmUp: WarmUp) -> Waiter? {
    isWarming = false
    guard warmUp.generation == generation else { return nil }
    defer { waiter = nil }
    return waiter
  }

  /// The frame that it was to be tried on is damaged: it is begun anew with the next frame.
  mutating func warmUpFoundDamage(_ warmUp: WarmUp) {
    (isWarming, lacksFrame, warm) = (false, true, nil)
  }

  /// - Returns: who still waits.
  mutating func close() -> [Waiter] {
    (count, kinds) = (0, [])
    defer { waiter = nil }
    return waiter.map { [$0] } ?? []
  }
}

extension PhotoRequest {
  /// What is left of it for the encoder: whatever else differs is encoded alike.
  fileprivate var encodingAlone: PhotoRequest {
    PhotoRequest(arrival: .epoch, file: file)
  }
}
