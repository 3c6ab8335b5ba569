import CaptureCore
import Testing

@testable import CaptureSessions

@Suite struct AdaptationTests {
  private let size = AdaptationStep(.previewSide(640), from: .serious)
  private let rate = AdaptationStep(.deviceRate(Rational(15, 1)), from: .serious)
  private let slower = AdaptationStep(.deviceRate(Rational(5, 1)), from: .critical)

  @Test func appliesInOrderAndUndoesInReverse() {
    var adaptation = Adaptation()
    #expect(adaptation.follow([size]) == [.apply(size)])
    #expect(adaptation.follow([size]) == [])
    #expect(adaptation.follow([size, rate, slower]) == [.apply(rate), .apply(slower)])
    #expect(adaptation.follow([size]) == [.undo(slower), .undo(rate)])
    #expect(adaptation.follow([]) == [.undo(size)])
    #expect(adaptation == Adaptation())
  }

  @Test func anotherLadderIsUndoneBeforeItIsFollowed() {
    var adaptation = Adaptation()
    _ = adaptation.follow([size, rate])
    #expect(adaptation.follow([rate, slower]) == [.undo(rate), .undo(size), .apply(rate), .apply(slower)])
  }

  @Test func theLowestLimitCounts() {
    var adaptation = Adaptation()
    #expect(adaptation.deviceRate == nil)
    _ = adaptation.follow([size, rate, slower])
    #expect(adaptation.deviceRate == Rational(5, 1))
    #expect(adaptation.pictures == PictureLimits(side: 640))
    #expect(adaptation.previewRate == nil)
    #expect(adaptation.ringWindow == nil)
  }
}
