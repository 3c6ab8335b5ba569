import CaptureCore
import CaptureTestKit
import Imaging
import Synchronization
import Testing

@testable import FrameDelivery

/// Many threads at once; made for ThreadSanitizer. What every reader saw must add up all the same.
/// The limit only ends a broken test: what it waits for would never come.
@Suite(.timeLimit(.minutes(2))) struct PreviewStressTests {
  static let frames: UInt64 = 1500
  static let missingEvery: UInt64 = 50

  /// Delivered + dropped = produced, in order, for a reader that came at any time.
  struct Account {
    var first: UInt64?
    var last: UInt64 = 0
    var delivered: UInt64 = 0
    /// Without what the first frame says of the time before it.
    var dropped: UInt64 = 0
    var isOrdered = true

    mutating func add(_ picture: PreviewPicture) {
      isOrdered = isOrdered && picture.sequence > last
      last = picture.sequence
      if first == nil { first = picture.sequence } else { dropped += picture.dropped.total }
      delivered += 1
    }

    /// Every 50th frame has two missing before it, which took no number here.
    var produced: UInt64 {
      guard let first else { return 0 }
      return last - first + 1 + 2 * (last / missingEvery - first / missingEvery)
    }
  }

  /// - Parameter comers: how many come and go all the time; then the output is closed and opened all the time too.
  @Test(arguments: [0, 8]) func everyReaderCanAddUp(comers: Int) async throws {
    let stage = try await PreviewStage()
    let (taken, mayGoOn, done) = (Recorder<UInt64>(), Recorder<Void>(), Recorder<UInt64>())
    try WorkerThread.start(name: "camera") {
      var sequence: UInt64 = 0
      func capture(while goesOn: () -> Bool) {
        repeat {
          sequence += 1
          stage.capture(
            sequence, missing: sequence % Self.missingEvery == 0 ? DropCounts(discontinuity: 2) : DropCounts())
          if sequence % 100 == 0 { stage.change { $0.status = SessionStatus(.running) } }
          // Closed, it would be given no frames.
          if comers > 0 {
            for isEnabled in [false, true] { stage.change { $0.connection = Connection(isEnabled: isEnabled) } }
          }
        } while goesOn()
      }
      // One reader takes a frame, none of the many that come then, and another one: it misses some however busy the machine is.
      capture { taken.count == 0 }
      let last = sequence + Self.frames
      capture { sequence < last }
      mayGoOn.append(())
      capture { taken.count == 1 }
      done.append(sequence)
    }
    let requests = [
      PreviewRequest(encoding: .nv12), PreviewRequest(), PreviewRequest(jpegQuality: 50),
      PreviewRequest(encoding: .yuyv, maxUnacknowledgedFrames: 2),
    ]
    let (accounts, captured) = try await withThrowingTaskGroup(of: Account.self) { group in
      for number in 0..<23 {
        group.addTask {
          try await Self.read(stage, requests[number % requests.count]) { _ in
            for _ in 0..<number { await Task.yield() }
          }
        }
      }
      group.addTask {
        try await Self.read(stage, requests[0]) { sequence in
          taken.append(sequence)
          try await mayGoOn.wait(count: 1)
        }
      }
      for _ in 0..<comers { group.addTask { try await Self.comeAndGo(stage) } }
      let captured = try await done.wait(count: 1)[0]
      stage.output.close(CaptureError(.shuttingDown, "the test is over"))
      return (try await group.reduce(into: [Account]()) { $0.append($1) }, captured)
    }
    for account in accounts {
      #expect(account.isOrdered)
      #expect(account.delivered + account.dropped == account.produced)
    }
    #expect(accounts.contains { $0.delivered > 1 && $0.dropped > 0 }, "one was slow")
    #expect(stage.output.readerCount == 0)
    // Whoever comes first to an encoding has the newest frame encoded at once, again.
    if comers == 0 { #expect(stage.output.encodeCount <= 3 * captured, "three encodings") }
  }

  /// Reads to the end, and rests after each picture.
  private static func read(
    _ stage: PreviewStage, _ request: PreviewRequest, resting rest: (UInt64) async throws -> Void
  ) async throws -> Account {
    var account = Account()
    do {
      // On a busy machine the camera may be done before this reader has come.
      let reader = try stage.output.attach(request)
      while true {
        guard case .frame(let picture) = try await reader.next() else { continue }
        account.add(picture)
        try await rest(picture.sequence)
        try stage.directory.acknowledge(token: reader.token, sequence: picture.sequence)
      }
    } catch let error as CaptureError {
      // Closing takes the reader out of the directory as well.
      #expect(error.reason == .shuttingDown || error.reason == .streamNotFound)
    }
    return account
  }

  /// Starts and ends encodings all the time.
  private static func comeAndGo(_ stage: PreviewStage) async throws -> Account {
    do {
      while true {
        let reader = try stage.output.attach(PreviewRequest(maxSize: Size(width: 32, height: 32)))
        let waiting = Task { try await reader.nextPicture() }
        try await stage.output.prepare()
        await Task.yield()
        reader.detach()
        _ = await waiting.result
      }
    } catch {
      #expect(error.reason == .shuttingDown)
    }
    return Account()
  }
}
