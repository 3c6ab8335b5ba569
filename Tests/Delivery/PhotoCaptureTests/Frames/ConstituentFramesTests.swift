import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing

@testable import PhotoCapture

/// Tests of which frames of several cameras become the photos of one capture. Times are in milliseconds.
@Suite struct ConstituentFramesTests {
  /// Offers frames of cameras, and keeps what they became.
  private struct Rig {
    var frames: ConstituentFrames
    var found: [[String: UInt64]] = []

    /// - Parameter rates: frames per second of the cameras `a`, `b` and so on.
    init(_ rates: UInt32..., since earliest: UInt64 = 0) {
      var request = PhotoRequest(arrival: 0)
      request.constituents = rates.indices.map(Rig.name)
      let cameras = rates.enumerated().map { index, rate in
        var camera = ConstituentCamera(input: Rig.name(index))
        camera.frameRate = Rational(rate, 1)
        return camera
      }
      frames = ConstituentFrames(request, cameras, since: .epoch + earliest * 1_000_000)
    }

    private static func name(_ index: Int) -> String { String(UnicodeScalar(UInt8(97 + index))) }

    /// Offers the frame of a camera at a time, and notes the first set by the times of its frames.
    mutating func offer(
      _ input: String, at time: UInt64, sequence: UInt64? = nil, streamID: UInt64 = 1, revision: UInt64 = 1,
      isDamaged: Bool = false, pool: FramePool? = nil
    ) {
      guard found.isEmpty else { return }
      let frame = Frame.fake(
        sequence: sequence ?? time, streamID: streamID, at: .epoch + time * 1_000_000, pool: pool)!
      if isDamaged { frame.buffer.markDamaged() }
      guard let set = frames.offer(CapturedFrame(frame: frame, input: input, configRevision: revision)) else { return }
      let times = set.map { ($0.captured.input, $0.captured.time.nanoseconds / 1_000_000) }
      found.append(Dictionary(uniqueKeysWithValues: times))
    }
  }

  @Test("H12: frames of two phases are those nearest to each other", arguments: UInt64(0)...39)
  func phases(phase: UInt64) throws {
    var rig = Rig(25, 25)
    var due = (0..<3).flatMap { [("a", 40 * $0), ("b", 40 * $0 + phase)] }
    due.sort { $0.1 < $1.1 }
    for (input, time) in due { rig.offer(input, at: time) }
    let set = try #require(rig.found.first)
    let apart = max(set["a"]!, set["b"]!) - min(set["a"]!, set["b"]!)
    #expect(apart == min(phase, 40 - phase), "never more than half a period")
  }

  @Test("H12: a camera that takes longer to deliver its frames is waited for", arguments: ["a", "b"])
  func latency(slow: String) {
    var rig = Rig(25, 25)
    for step in UInt64(0)...9 {
      rig.offer(slow == "a" ? "b" : "a", at: 40 * step)
      if step >= 3 { rig.offer(slow, at: 40 * (step - 3) + 5) }
    }
    #expect(rig.found.count == 1)
    #expect(rig.found.first?[slow] == 5)
  }

  @Test("H12: no frame from before the request is taken") func earliest() {
    var rig = Rig(25, 25, since: 30)
    for (input, time) in [("a", 0), ("b", 20), ("a", 40), ("b", 60)] as [(String, UInt64)] {
      rig.offer(input, at: time)
    }
    #expect(rig.found == [["a": 40, "b": 60]])
  }

  @Test("H12: a frame whose partner was dropped is passed over") func droppedFrames() {
    var rig = Rig(25, 25)
    rig.offer("a", at: 0)
    rig.offer("b", at: 45)
    #expect(rig.found.isEmpty)
    rig.offer("a", at: 40)
    #expect(rig.found == [["a": 40, "b": 45]])
  }

  @Test("H12: a camera of half the rate is at most half of its own period away", arguments: ["a", "b"])
  func halfTheRate(slow: String) {
    var rig = slow == "a" ? Rig(25, 50) : Rig(50, 25)
    let fast = slow == "a" ? "b" : "a"
    for time in [0, 20] as [UInt64] { rig.offer(fast, at: time) }
    rig.offer(slow, at: 38)
    rig.offer(fast, at: 40)
    #expect(rig.found.count == 1)
    #expect(rig.found.first?[slow] == 38)
  }

  @Test("H12: a camera that exposes longer than its rate allows counts with its real period") func longExposures() {
    var rig = Rig(25, 25)
    for (sequence, time) in [(0, 0), (1, 100), (2, 200)] as [(UInt64, UInt64)] {
      rig.offer("b", at: time, sequence: sequence)
    }
    rig.offer("a", at: 149)
    #expect(rig.found == [["a": 149, "b": 100]])
  }

  @Test("H12: lost frames are no long period, whether the driver numbers them or not", arguments: [3, 1] as [UInt64])
  func lostFrames(step: UInt64) {
    var rig = Rig(25, 25)
    for (sequence, time) in [(0, 0), (step, 120), (step + 1, 160)] as [(UInt64, UInt64)] {
      rig.offer("b", at: time, sequence: sequence)
    }
    rig.offer("a", at: 90)
    #expect(rig.found.isEmpty)
  }

  @Test("H12: two cameras that are both a little slower than they promise have a set", arguments: UInt64(0)...41)
  func slowerThanPromised(phase: UInt64) throws {
    var rig = Rig(30, 30)
    var due = (UInt64(0)..<6).flatMap { [("a", 42 * $0, $0), ("b", 42 * $0 + phase, $0)] }
    due.sort { $0.1 < $1.1 }
    for (input, time, sequence) in due { rig.offer(input, at: time, sequence: sequence) }
    let set = try #require(rig.found.first)
    #expect(max(set["a"]!, set["b"]!) - min(set["a"]!, set["b"]!) <= 21)
  }

  @Test("H12: three cameras give a set around one frame of the first") func threeCameras() {
    var rig = Rig(25, 25, 25)
    rig.offer("a", at: 0)
    rig.offer("b", at: 10)
    rig.offer("c", at: 35)
    #expect(rig.found.isEmpty)
    rig.offer("a", at: 40)
    #expect(rig.found.isEmpty, "the frame of the second camera is too old")
    rig.offer("b", at: 50)
    #expect(rig.found == [["a": 40, "b": 50, "c": 35]])
  }

  @Test("H12: a damaged frame is none") func damagedFrame() {
    var rig = Rig(25, 25)
    rig.offer("a", at: 0)
    rig.offer("b", at: 10, isDamaged: true)
    #expect(rig.found.isEmpty && rig.frames.silentInput == "b")
    rig.offer("a", at: 40)
    rig.offer("b", at: 50)
    #expect(rig.found == [["a": 40, "b": 50]])
  }

  @Test("H12: a frame that no memory is left for is not held, and its camera is known") func noMemory() {
    var rig = Rig(25, 25)
    rig.offer("a", at: 0)
    #expect(rig.frames.inputWithoutMemory == nil)
    rig.offer("b", at: 1, pool: FramePool(budget: 8192))
    #expect(rig.found.isEmpty && rig.frames.inputWithoutMemory == "b")
    #expect(rig.frames.silentInput == nil, "it brought a frame")
    rig.offer("a", at: 40)
    rig.offer("b", at: 41)
    #expect(rig.found == [["a": 40, "b": 41]] && rig.frames.inputWithoutMemory == nil)
  }

  @Test("H12: a silent camera is known, and the frames that wait for it are few") func silentCamera() {
    struct Offered { weak var frame: CapturedFrame? }
    var rig = Rig(25, 25)
    let offered = (UInt64(0)..<20).map { sequence in
      let frame = Frame.fake(sequence: sequence, at: .epoch + sequence * 40_000_000)!
      let captured = CapturedFrame(frame: frame, input: "a", configRevision: 1)
      _ = rig.frames.offer(captured)
      return Offered(frame: captured)
    }
    #expect(rig.frames.silentInput == "b")
    #expect(offered.count { $0.frame != nil } == PhotoFeatures.maxConstituentFrames)
    rig.offer("b", at: 800)
    #expect(rig.frames.silentInput == nil)
    rig.offer("a", at: 800)
    #expect(rig.found == [["a": 800, "b": 800]])
  }

  @Test("H12: frames of a former stream or configuration are not taken") func restarts() {
    var rig = Rig(25, 25)
    rig.offer("a", at: 0)
    rig.offer("a", at: 15, streamID: 2)
    rig.offer("b", at: 1)
    #expect(rig.found == [["a": 15, "b": 1]])
    var commit = Rig(25, 25)
    commit.offer("a", at: 0)
    commit.offer("b", at: 1, revision: 2)
    #expect(commit.found.isEmpty)
    commit.offer("a", at: 2, revision: 2)
    #expect(commit.found == [["a": 2, "b": 1]])
  }

  @Test("H12: an input that the request does not name brings nothing") func foreignInput() {
    var rig = Rig(25, 25)
    rig.offer("a", at: 0)
    rig.offer("z", at: 0)
    #expect(rig.found.isEmpty)
  }
}
