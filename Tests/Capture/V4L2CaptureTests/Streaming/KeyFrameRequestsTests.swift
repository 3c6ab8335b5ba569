import SystemClocks
import Testing

@testable import V4L2Capture

/// How often a camera is asked for key frames, and how long they may take.
@Suite struct KeyFrameRequestsTests {
  private static let second: UInt64 = 1_000_000_000
  private let kernel = FakeKernel()

  private func at(_ seconds: UInt64) -> MonotonicInstant { .epoch + (100 + seconds) * Self.second }

  private var requests: Int { kernel.log.count { $0.hasPrefix("VIDIOC_S_CTRL") } }

  /// A wish that comes within the second after a request is kept until then.
  @Test func theCameraIsAskedOnceASecondAtMost() throws {
    let node = try VideoNode(opening: "/dev/video0", with: kernel)
    defer { node.close() }
    var keyFrames = KeyFrameRequests()
    keyFrames.update(isWanted: false, node: node, now: at(0))
    #expect(requests == 0)
    for _ in 0..<3 { keyFrames.update(isWanted: true, node: node, now: at(0)) }
    #expect(requests == 1)
    keyFrames.update(isWanted: false, node: node, now: at(1))
    #expect(requests == 2)
    keyFrames.update(isWanted: false, node: node, now: at(2))
    #expect(requests == 2)
  }

  @Test func aCameraThatRefusesIsNotAskedAgain() throws {
    let node = try VideoNode(opening: "/dev/video0", with: kernel)
    defer { node.close() }
    kernel.fail("VIDIOC_S_CTRL", with: 22)
    var keyFrames = KeyFrameRequests()
    for second in 0..<5 { keyFrames.update(isWanted: true, node: node, now: at(UInt64(second))) }
    #expect(requests == 1)
  }

  /// The patience begins with the first picture that cannot be decoded, and anew after one that can.
  @Test func aKeyFrameMayTakeTwelveSeconds() {
    var keyFrames = KeyFrameRequests()
    #expect([0, 11, 12].map { keyFrames.mayCome(at: at($0)) } == [true, true, false])
    keyFrames.noteFrame()
    #expect([20, 31, 32].map { keyFrames.mayCome(at: at($0)) } == [true, true, false])
  }
}
