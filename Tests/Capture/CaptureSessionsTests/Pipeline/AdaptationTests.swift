import CaptureCore
import Testing

@testable import CaptureSessions

/// Tests how a session follows the steps of a ladder, so that the session is as before when the pressure is over.
@Suite struct AdaptationTests {
  private let size = AdaptationStep(.previewSide(640), from: .serious)
  private let rate = AdaptationStep(.deviceRate(Rational(15, 1)), from: .serious)
  private let slower = AdaptationStep(.deviceRate(Rational(5, 1)), from: .critical)

  /// When more steps are asked for, the session applies the new ones in order; when fewer are, it undoes the last ones
  /// first. Without steps, nothing is left of the adaptation.
  @Test func appliesInOrderAndUndoesInReverse() {
    var adaptation = Adaptation()
    #expect(adaptation.follow([size]) == [.apply(size)])
    #expect(adaptation.follow([size]) == [])
    #expect(adaptation.follow([size, rate, slower]) == [.apply(rate), .apply(slower)])
    #expect(adaptation.follow([size]) == [.undo(slower), .undo(rate)])
    #expect(adaptation.follow([]) == [.undo(size)])
    #expect(adaptation == Adaptation())
  }

  /// When the steps asked for begin differently, as those of another camera's ladder do, the session undoes all steps
  /// of the former ladder before it applies the new ones.
  @Test func anotherLadderReplacesTheStepsOfTheFormerOne() {
    var adaptation = Adaptation()
    _ = adaptation.follow([size, rate])
    #expect(adaptation.follow([rate, slower]) == [.undo(rate), .undo(size), .apply(rate), .apply(slower)])
  }

  /// When two steps limit the same thing, the lower limit counts; what no step limits has no limit, which is nil.
  @Test func theLowestLimitOfAllStepsCounts() {
    var adaptation = Adaptation()
    #expect(adaptation.deviceRate == nil)
    _ = adaptation.follow([size, rate, slower])
    #expect(adaptation.deviceRate == Rational(5, 1))
    #expect(adaptation.pictures == PictureLimits(side: 640))
    #expect(adaptation.previewRate == nil)
    #expect(adaptation.ringWindow == nil)
  }
}
