import CaptureCore
import CaptureTestKit
import Imaging
import Testing

@testable import FrameDelivery

/// Many threads use one preview at once, so that ThreadSanitizer can find races. The counts of every reader must add up
/// all the same. The time limit is for a test whose awaited event never comes.
@Suite(.timeLimit(.minutes(6))) struct PreviewStressTests {
  static let frames: UInt64 = 1500
  static let missingEvery: UInt64 = 50

  /// The account of a reader, which may come at any time: its frames come in order, and delivered and dropped frames
  /// together are the produced ones.
  struct Account {
    var first: UInt64?
    var last: UInt64 = 0
    var delivered: UInt64 = 0
    /// The dropped frames since the first frame. The count that comes with the first frame concerns the time before and
    /// is left out.
    var dropped: UInt64 = 0
    var isOrdered = true

    mutating func add(_ picture: PreviewPicture) {
      isOrdered = isOrdered && picture.sequence > last
      last = picture.sequence
      if first == nil { first = picture.sequence } else { dropped += picture.dropped.total }
      delivered += 1
    }

    /// The frames that were produced from the first frame on. Two frames are missing before every 50th frame; they have
    /// no sequence number here.
    var produced: UInt64 {
      guard let first else { return 0 }
      return last - first + 1 + 2 * (last / missingEvery - first / missingEvery)
    }
  }

  /// - Parameter comers: how many readers come and go all the time. When there are any, the connection is also disabled
  ///   and enabled all the time.
  @Test(arguments: [0, 8]) func theCountsOfEveryReaderAddUp(comers: Int) async throws {
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
          // The connection is enabled last, because a disabled connection lets no frames through.
          if comers > 0 {
            for isEnabled in [false, true] { stage.change { $0.connection = Connection(isEnabled: isEnabled) } }
          }
        } while goesOn()
      }
      // One reader takes a frame, then none of the many frames that follow, and then another one. It misses some of
      // them however busy the machine is.
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
    #expect(accounts.contains { $0.delivered > 1 && $0.dropped > 0 }, "one reader was slow")
    #expect(stage.output.readerCount == 0)
    // The first reader of an encoding has the newest frame encoded at once, perhaps for the second time.
    if comers == 0 { #expect(stage.output.encodeCount <= 3 * captured, "three encodings") }
  }

  /// Reads to the end of the stream, and rests after each picture.
  private static func read(
    _ stage: PreviewStage, _ request: PreviewRequest, resting rest: (UInt64) async throws -> Void
  ) async throws -> Account {
    var account = Account()
    do {
      // On a busy machine, the camera may have ended before this reader attaches.
      let reader = try stage.output.attach(request)
      while true {
        guard case .frame(let picture) = try await reader.next() else { continue }
        account.add(picture)
        try await rest(picture.sequence)
        try stage.directory.acknowledge(token: reader.token, sequence: picture.sequence)
      }
    } catch let error as CaptureError {
      // Closing the output removes the reader from the directory as well.
      #expect(error.reason == .shuttingDown || error.reason == .streamNotFound)
    }
    return account
  }

  /// Starts and ends encodings until the output is closed.
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
