internal import CaptureCore

/// The steps of the ladder that a session has taken. A value: each change returns the steps to report.
struct Adaptation: Hashable, Sendable {
  enum Change: Hashable {
    case apply(AdaptationStep)
    case undo(AdaptationStep)
  }

  /// The steps that are in force, in the ladder's order.
  private(set) var applied: [AdaptationStep] = []

  /// Replaces the applied steps with `wanted`: undoes the steps that are no longer wanted, the last one first, and then
  /// applies the new steps in the ladder's order.
  ///
  /// - Returns: the changes in that order.
  mutating func follow(_ wanted: [AdaptationStep]) -> [Change] {
    let kept = zip(applied, wanted).prefix { $0 == $1 }.count
    let changes = applied[kept...].reversed().map(Change.undo) + wanted[kept...].map(Change.apply)
    applied = wanted
    return changes
  }

  /// The limits of size, quality and fused frames that apply to pictures.
  var pictures: PictureLimits {
    PictureLimits(
      side: lowest { if case .previewSide(let side) = $0 { side } else { nil } },
      quality: lowest { if case .previewQuality(let quality) = $0 { quality } else { nil } },
      fusedFrames: lowest { if case .fusedFrames(let count) = $0 { count } else { nil } })
  }

  /// Frames per second that previews get at most, in addition to ``deviceRate``; nil for no limit.
  var previewRate: Rational? { lowest { if case .previewRate(let rate) = $0 { rate } else { nil } } }

  /// Frames per second that every output gets at most; nil for no limit.
  var deviceRate: Rational? { lowest { if case .deviceRate(let rate) = $0 { rate } else { nil } } }

  /// How far back the ring may reach, nanoseconds; nil for no limit.
  var ringWindow: UInt64? { lowest { if case .ringWindow(let window) = $0 { window } else { nil } } }

  private func lowest<T: Comparable>(_ value: (AdaptationStep.Limit) -> T?) -> T? {
    applied.compactMap { value($0.limit) }.min()
  }
}
