import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing

@testable import FrameComposition

/// A commit gives an input of a composition another camera. No picture of the new revision shows the former one.
@Suite struct SwappedCameraTests {
  private static func plan(_ revision: UInt64, a: String = "camera-0", b: String = "camera-1") -> CompositionPlan {
    CompositionPlan(
      layers: [.whole("a"), .whole("b")], pace: .every, revision: revision, cameras: ["a": a, "b": b])
  }

  /// A composition whose two cameras have brought a frame each, both of which a picture shows.
  private func running() -> FramePartners {
    var partners = FramePartners(Self.plan(1))
    partners.receive(frame("b", 0, at: 99))
    partners.receive(frame("a", 0, at: 100))
    #expect(partners.take(at: 100).map(\.sequences) == [[0, 0]])
    return partners
  }

  @Test func theLayerShowsNothingUntilTheNewCameraBringsAFrame() {
    var partners = running()
    partners.receive(frame("b", 1, at: 132))
    partners.follow(Self.plan(2, b: "camera-2"))
    #expect(partners.held(of: "b") == 0)
    // The thread of the former camera was on its way.
    partners.receive(frame("b", 2, at: 133, revision: 1))
    partners.receive(frame("a", 1, at: 134, revision: 2))
    let empty = partners.take(at: 200)
    #expect(empty.map(\.sequences) == [[1, nil]] && empty.map(\.isStale) == [[false, true]])
    partners.receive(frame("b", 0, at: 166, stream: 2, revision: 2))
    partners.receive(frame("a", 2, at: 167, revision: 2))
    #expect(partners.take(at: 200).map(\.sequences) == [[2, 0]])
  }

  /// A picture that was begun is finished with the former camera, under its own revision. The next one does not show
  /// that camera.
  @Test func aPictureThatWasBegunIsTheLastOfTheFormerCamera() throws {
    var partners = running()
    partners.receive(frame("b", 1, at: 132))
    partners.receive(frame("a", 1, at: 133))
    let begun = try partners.beginDue()
    partners.follow(Self.plan(2, b: "camera-2"))
    partners.receive(frame("b", 0, at: 134, stream: 2, revision: 2))
    partners.composed(begun)
    partners.receive(frame("a", 2, at: 167, revision: 2))
    let next = partners.take(at: 200)
    #expect(begun.revision == 1 && begun.sequences == [1, 1])
    #expect(next.map(\.revision) == [2] && next.map { $0.frames[1]?.frame.streamID } == [2])
  }

  /// The pictures of the former clock that are due are lost, and so is one that was begun and cannot be composed.
  @Test func anotherClockLosesThePicturesThatAreDue() throws {
    var partners = running()
    partners.receive(frame("a", 1, at: 133))
    partners.receive(frame("a", 2, at: 166))
    let begun = try partners.beginDue()
    partners.follow(Self.plan(2, a: "camera-2"))
    partners.receive(frame("a", 3, at: 199, revision: 1))
    let damaged = try #require(begun.frames[1])
    partners.reject(damaged, DropCounts(damaged: 1))
    #expect(partners.instant(at: 200_000_000) == nil)
    partners.receive(frame("a", 0, at: 210, stream: 2, revision: 2))
    let next = try #require(partners.take(at: 400).first)
    #expect(next.stream == .init(input: "a", streamID: 2) && next.revision == 2)
    #expect(next.missing == DropCounts(discontinuity: 1, damaged: 1))
  }

  /// A composition that starts by the revision of a commit does not show what inputs had before, until the commit takes
  /// over. When the commit fails, the cameras are the former ones.
  @Test func aFailedCommitShowsTheFormerCameras() {
    var partners = FramePartners(Self.plan(2, b: "camera-2"))
    partners.receive(frame("a", 0, at: 100, revision: 1))
    #expect(partners.instant(at: 200_000_000) == nil)
    partners.follow(Self.plan(1))
    partners.receive(frame("b", 1, at: 132, revision: 1))
    partners.receive(frame("a", 1, at: 133, revision: 1))
    #expect(partners.take(at: 200).map(\.sequences) == [[1, 1]])
  }
}
