import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing

@testable import FrameComposition

let pool = FramePool(budget: 256 << 20)

extension CompositionLayer {
  /// A layer that shows `input` in the whole of a small picture.
  static func whole(_ input: String) -> CompositionLayer {
    CompositionLayer(input: input, rectangle: .init(x: 0, y: 0, size: Size(width: 64, height: 36)))
  }
}

let millisecond: UInt64 = 1_000_000

/// A frame of `input` that was captured at so many milliseconds.
func frame(
  _ input: String, _ sequence: UInt64, at milliseconds: Double, stream: UInt64 = 1, missing: DropCounts = DropCounts(),
  revision: UInt64 = 1
) -> CapturedFrame {
  CapturedFrame(
    frame: .fake(
      sequence: sequence, streamID: stream, at: .init(nanoseconds: UInt64(milliseconds * 1e6)), missing: missing,
      pool: pool)!, input: input, configRevision: revision)
}

extension CompositionPace {
  /// A picture for each frame of a camera of 30 a second.
  static let every = CompositionPace(rate: Rational(30, 1), isSlower: false)
}

extension FramePartners.Choice {
  /// The sequence number that each layer shows; nil for nothing.
  var sequences: [UInt64?] { frames.map { $0?.frame.sequence } }
}

extension FramePartners {
  init(layers: [CompositionLayer], rate: Rational, isSlower: Bool = false) {
    self.init(layers: layers, pace: CompositionPace(rate: rate, isSlower: isSlower))
  }

  init(layers: [CompositionLayer], pace: CompositionPace) {
    self.init(CompositionPlan(layers: layers, pace: pace, revision: 1))
  }

  mutating func setLayers(_ layers: [CompositionLayer], pace: CompositionPace, revision: UInt64 = 1) {
    follow(CompositionPlan(layers: layers, pace: pace, revision: revision))
  }

  /// Begins a picture, which must be due.
  mutating func beginDue() throws -> Choice {
    let choice = begin()
    return try #require(choice)
  }

  /// Takes a frame that comes `delay` milliseconds after it was captured.
  mutating func receive(_ frame: CapturedFrame, after delay: Double = 0) {
    receive(frame, at: frame.frame.time.monotonic + UInt64(delay * 1e6))
  }

  /// Composes the pictures that are due at so many milliseconds.
  mutating func take(at milliseconds: Double) -> [Choice] {
    let now = MonotonicInstant(nanoseconds: UInt64(milliseconds * 1e6))
    var taken: [Choice] = []
    while let instant = instant(at: now), instant <= now, let choice = begin() {
      composed(choice)
      taken.append(choice)
    }
    return taken
  }
}
