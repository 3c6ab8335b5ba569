import FirstlightAPI
import RPCCore
import Synchronization
import SwiftProtobuf
import Testing

@testable import FirstlightServices

/// Updates of one viewfinder that come at once. The limit only ends a broken test.
@Suite(.timeLimit(.minutes(5))) struct ViewfinderTests {
  /// The runs that are being served, by number.
  private final class Served: Sendable {
    private let parts = Mutex<[Int: ViewfinderPart]>([:])

    var all: [ViewfinderPart] { parts.withLock { Array($0.values) } }

    func begin(_ run: Viewfinder.Run) { parts.withLock { $0[run.number] = run.part } }

    func end(_ run: Viewfinder.Run) { parts.withLock { $0[run.number] = nil } }
  }

  /// Serves the parts of a viewfinder until the task is cancelled. Each part sends two events.
  private static func serve(_ viewfinder: Viewfinder, _ served: Served) async {
    await withDiscardingTaskGroup { group in
      for await _ in viewfinder.changes {
        for run in viewfinder.takeStarts() {
          served.begin(run)
          group.addTask {
            for await _ in run.stops {}
            served.end(run)
          }
          group.addTask {
            guard case .session(let name) = run.part else { return }
            for _ in 0..<2 { try? await viewfinder.messages.send(.session(name, .event, event()), from: run.number) }
          }
        }
      }
    }
  }

  private static func event() throws -> LentMessage { try LentMessage(Firstlight_V1_WatchSessionResponse()) }

  /// Reads the messages of a viewfinder up to the status with the revision `last`.
  private static func messages(
    of viewfinder: Viewfinder, upTo last: UInt64
  ) async throws -> [Firstlight_V1_StreamViewfinderResponse] {
    let (results, result) = AsyncStream.makeStream(of: Result<LentMessage, any Error>.self)
    let ask = viewfinder.messages.asking { result.yield($0) }
    var messages: [Firstlight_V1_StreamViewfinderResponse] = []
    ask()
    for await next in results {
      let lent = try next.get()
      let bytes = lent.header + lent.payload.withUnsafeBytes { Array($0) }
      messages.append(try Firstlight_V1_StreamViewfinderResponse(serializedBytes: bytes))
      if messages.last?.status.revision == last { break }
      // Messages wait meanwhile.
      await Task.yield()
      ask()
    }
    return messages
  }

  /// Updates the contents several times, to some of five sessions, and returns the contents by their revisions.
  private static func update(_ viewfinder: Viewfinder, times: Int) async -> [UInt64: Set<ViewfinderPart>] {
    var shown: [UInt64: Set<ViewfinderPart>] = [:]
    for _ in 0..<times {
      let contents = Set((0..<5).filter { _ in .random() }.map { ViewfinderPart.session("sessions/\($0)") })
      shown[viewfinder.show(contents)] = contents
      await Task.yield()
    }
    return shown
  }

  /// A part that the first of two updates brought has an event before the client gets the status of either. The event
  /// comes after the status of the second update, which announces the part to the client.
  @Test func anEventComesAfterTheStatusThatAnnouncesItsPart() async throws {
    let viewfinder = Viewfinder()
    let name = "sessions/a"
    _ = viewfinder.show([.session(name)])
    let run = try #require(viewfinder.takeStarts().first)
    let sending = Task.immediate {
      try await viewfinder.messages.send(.session(name, .event, Self.event()), from: run.number)
    }
    _ = viewfinder.show([.session(name), .pressure])
    let messages = try await Self.messages(of: viewfinder, upTo: 2)
    #expect(messages.map(\.status.revision) == [2])
    viewfinder.messages.close(CancellationError())
    _ = await sending.result
  }

  /// Each update takes effect as a whole: the statuses tell growing revisions, every event between two of them is of a
  /// part of the contents that the former one announced, and in the end each part of the last contents is served once.
  @Test func updatesAtOnceTakeEffectOneAfterTheOther() async throws {
    let (tasks, updates) = (4, 15)
    let viewfinder = Viewfinder()
    let served = Served()
    let serving = Task { await Self.serve(viewfinder, served) }
    async let read = Self.messages(of: viewfinder, upTo: UInt64(tasks * updates))
    let contents = await withTaskGroup { group in
      for _ in 0..<tasks { group.addTask { await Self.update(viewfinder, times: updates) } }
      return await group.reduce(into: [:]) { $0.merge($1) { former, _ in former } }
    }
    let messages = try await read
    #expect(contents.count == tasks * updates, "each update has a revision of its own")
    #expect(messages.map(\.messageNumber) == Array(1...UInt64(messages.count)))
    var revision: UInt64 = 0
    for message in messages {
      if case .session(let session) = message.content {
        #expect(contents[revision]?.contains(.session(session.session)) == true)
      } else {
        #expect(message.status.revision > revision)
        revision = message.status.revision
      }
    }
    let last = try #require(contents[UInt64(tasks * updates)])
    while served.all.count != last.count || Set(served.all) != last { try await Task.sleep(for: .milliseconds(5)) }
    serving.cancel()
    viewfinder.messages.close(CancellationError())
    _ = viewfinder.show([])
    await serving.value
  }
}
