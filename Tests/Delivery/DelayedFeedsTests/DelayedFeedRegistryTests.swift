import CaptureCore
import CaptureTestKit
import FrameDelivery
import Synchronization
import SystemClocks
import Testing

@testable import DelayedFeeds

/// Histories with their threads, on a preview that gets frames. The time limit is for a test whose awaited event never
/// comes.
@Suite(.timeLimit(.minutes(2))) struct DelayedFeedRegistryTests {
  /// A preview whose camera brings a frame each time that somebody waits for one.
  private final class Stage: Sendable {
    let registry: DelayedFeedRegistry
    let output: PreviewOutput
    private let context = FakeOutputContext()
    private let steering: OutputSteering
    private let sequence = Mutex<UInt64>(0)

    init(_ registry: DelayedFeedRegistry = DelayedFeedRegistry(folder: "/tmp")) async throws {
      self.registry = registry
      output = PreviewOutput(id: "preview", context: context, directory: ReaderDirectory())
      steering = OutputSteering(output)
      steering.change { $0.status = SessionStatus(.running) }
      try await output.prepare()
    }

    func attach(quality: Int = 80, delay: UInt64 = 0) throws -> DelayedReader {
      var request = PreviewRequest()
      request.jpegQuality = quality
      return try registry.attach(output, request, delay: delay)
    }

    /// Captures a frame. Only one task at a time does so, like a camera's thread.
    func capture() throws {
      try sequence.withLock { sequence in
        sequence += 1
        output.receive(context.keep(try #require(Frame.fake(sequence: sequence, at: .now()))))
      }
    }

    /// Captures frames until a reader has one.
    func frame(for reader: DelayedReader) async throws -> PreviewPicture {
      let found = Recorder<Result<PreviewPicture, any Error>>()
      Task {
        do {
          while true {
            if case .frame(let picture) = try await reader.next() { return found.append(.success(picture)) }
          }
        } catch { found.append(.failure(error)) }
      }
      while found.count == 0 {
        try capture()
        await Task.yield()
      }
      return try found.all[0].get()
    }

    /// Attaches a reader as soon as there is room for another history.
    func attachWhenThereIsRoom() async throws -> DelayedReader {
      while true {
        do { return try attach() } catch let error as CaptureError {
          guard error.reason == .tooManyRequests else { throw error }
        }
        await Task.yield()
      }
    }
  }

  @Test func readersOfTheSamePicturesShareAHistory() async throws {
    let stage = try await Stage()
    let first = try stage.attach()
    let picture = try await stage.frame(for: first)
    let second = try stage.attach()
    #expect(first.history === second.history)
    #expect(try stage.attach(quality: 30).history !== first.history)
    first.detach()
    // The history goes on without its first reader. It may give the second one that reader's picture first.
    var next = try await stage.frame(for: second)
    while next.captured.frame.sequence <= picture.captured.frame.sequence { next = try await stage.frame(for: second) }
  }

  @Test func theSeventeenthHistoryIsRefusedUntilAnotherOneEnds() async throws {
    // A preview has at most eight encodings.
    let first = try await Stage()
    let (second, third) = (try await Stage(first.registry), try await Stage(first.registry))
    var readers = try [first, second].flatMap { stage in try (1...8).map { try stage.attach(quality: $0) } }
    let error = #expect(throws: CaptureError.self) { try third.attach() }
    #expect(error?.reason == .tooManyRequests && error?.message.contains("16 histories") == true)
    // A history that exists takes another reader.
    readers.append(try first.attach(quality: 1))
    readers[3].detach()
    readers.append(try await third.attachWhenThereIsRoom())
    withExtendedLifetime(readers) {}
  }

  /// Readers come and go from several threads while frames arrive. Each of them gets a frame.
  @Test func everyReaderGetsAFrameWhileOthersComeAndGo() async throws {
    let stage = try await Stage()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<6 {
        group.addTask {
          for round in 0..<8 {
            let reader = try stage.attach(quality: 1 + (task + round) % 3, delay: UInt64(round % 2) * 1_000_000)
            _ = try await stage.frame(for: reader)
            if round % 3 == 0 { reader.abandonNext() }
            reader.detach()
          }
        }
      }
      try await group.waitForAll()
    }
  }

  @Test func aFolderThatCannotBeMadeEndsTheHistory() async throws {
    let stage = try await Stage(DelayedFeedRegistry(folder: "/proc/version/folder"))
    let reader = try stage.attach()
    let error = await #expect(throws: CaptureError.self) { try await stage.frame(for: reader) }
    #expect(error?.reason == .processingFailed)
    // Nobody can join a history that has ended, so the next reader begins another one.
    #expect(try stage.attach().history !== reader.history)
  }

  @Test func theEndOfThePreviewEndsTheHistory() async throws {
    let stage = try await Stage()
    let reader = try stage.attach()
    _ = try await stage.frame(for: reader)
    stage.output.close(CaptureError(.sessionNotFound, "The session is gone."))
    await #expect(throws: CaptureError.self) { while true { _ = try await reader.next() } }
  }
}

extension DelayedReader {
  /// Waits for the next event.
  fileprivate func next() async throws -> DelayedEvent {
    try await withCheckedThrowingContinuation { continuation in
      asking { continuation.resume(with: $0) }()
    }
  }
}
