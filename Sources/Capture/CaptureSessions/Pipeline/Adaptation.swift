internal import CaptureCore

/// Which steps of the ladder a session has taken. A value: each change returns what is to be told.
struct Adaptation: Hashable, Sendable {
  enum Change: Hashable {
    case apply(AdaptationStep)
    case undo(AdaptationStep)
  }

  /// In the ladder's order.
  private(set) var applied: [AdaptationStep] = []

  /// Goes to `wanted`: what is not in it any more is undone, the last step first, then what is new is applied, the
  /// first step first.
  mutating func follow(_ wanted: [AdaptationStep]) -> [Change] {
    let kept = zip(applied, wanted).prefix { $0 == $1 }.count
    let changes = applied[kept...].reversed().map(Change.undo) + wanted[kept...].map(Change.apply)
    applied = wanted
    return changes
  }

  /// What pictures may be.
  var pictures: PictureLimits {
    PictureLimits(
      side: lowest { if case .previewSide(let side) = $0 { side } else { nil } },
      quality: lowest { if case .previewQuality(let quality) = $0 { quality } else { nil } },
      fusedFrames: lowest { if case .fusedFrames(let count) = $0 { count } else { nil } })
  }

  /// Frames per second of previews beside ``deviceRate``; nil: any.
  var previewRate: Rational? { lowest { if case .previewRate(let rate) = $0 { rate } else { nil } } }

  /// Frames per second of every output; nil: any.
  var deviceRate: Rational? { lowest { if case .deviceRate(let rate) = $0 { rate } else { nil } } }

  /// Nanoseconds; nil: any.
  var ringWindow: UInt64? { lowest { if case .ringWindow(let window) = $0 { window } else { nil } } }

  private func lowest<T: Comparable>(_ value: (AdaptationStep.Limit) -> T?) -> T? {
    applied.compactMap { value($0.limit) }.min()
  }
}
