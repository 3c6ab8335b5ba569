import CaptureCore
import CaptureSessions
import FirstlightAPI
import FirstlightTestKit
import RPCCore
import SwiftProtobuf
import SyntheticCapture
import Testing

/// A stream of events: how a test opens it, and how it causes an event.
struct EventKind: Sendable, CustomTestStringConvertible {
  /// The id of the next event, and whether it completes what ``happen`` causes.
  typealias Next = @Sendable () async throws -> (id: String, isWhole: Bool)

  let testDescription: String
  /// Opens the stream of a session after an event.
  let open: @Sendable (_ daemon: InProcessDaemon, _ session: String, _ after: String) throws -> Next
  /// The id of the newest event.
  let newest: @Sendable (_ daemon: InProcessDaemon, _ session: String) async throws -> String
  /// Causes something that the stream reports. Each turn is another change.
  let happen: @Sendable (_ daemon: InProcessDaemon, _ session: String, _ turn: Int) async throws -> Void

  static let all: [EventKind] = [session, captures, devices, pressure]
  /// The kinds whose streams belong to a session.
  static let ofSessions: [EventKind] = [session, captures]

  /// Reads a stream of responses.
  private static func next<Response: Message>(
    _ stream: ResponseStream<Response>, _ read: @escaping @Sendable (Response) -> (id: String, isWhole: Bool)
  ) -> Next {
    {
      guard let response = try await stream.next() else { throw StreamEnded(description: "The stream ended.") }
      return read(response)
    }
  }

  static let session: EventKind = EventKind(testDescription: "session") { daemon, session, after in
    let stream: ResponseStream<Firstlight_V1_WatchSessionResponse> = try daemon.stream(
      Firstlight_V1_SessionService.watchSession,
      Firstlight_V1_WatchSessionRequest.with { ($0.name, $0.afterEventID) = (session, after) })
    return next(stream) { response in
      if case .configurationCommitted = response.event.event { return (response.event.eventID, true) }
      return (response.event.eventID, false)
    }
  } newest: { daemon, session in
    let stream = try daemon.watchSession(session)
    defer { stream.cancel() }
    return try #require(try await stream.next()).event.eventID
  } happen: { daemon, session, turn in
    try await daemon.configure(session, .small { $0.inputs[0].id = "camera\(turn)" })
  }

  static let captures: EventKind = EventKind(testDescription: "captures") { daemon, session, after in
    let stream: ResponseStream<Firstlight_V1_WatchCapturesResponse> = try daemon.stream(
      Firstlight_V1_PhotoService.watchCaptures,
      Firstlight_V1_WatchCapturesRequest.with { ($0.session, $0.afterEventID) = (session, after) })
    return next(stream) { response in
      if case .didFinishCapture = response.event.event { return (response.event.eventID, true) }
      return (response.event.eventID, false)
    }
  } newest: { daemon, session in
    try await daemon.captures { $0.session = session }.eventID
  } happen: { daemon, session, _ in
    _ = try await daemon.photo(session)
  }

  static let devices: EventKind = EventKind(testDescription: "devices") { daemon, _, after in
    let stream: ResponseStream<Firstlight_V1_WatchDevicesResponse> = try daemon.stream(
      Firstlight_V1_DeviceService.watchDevices, Firstlight_V1_WatchDevicesRequest.with { $0.afterEventID = after })
    return next(stream) { ($0.event.eventID, $0.event.kind == .connected) }
  } newest: { daemon, session in
    let stream: ResponseStream<Firstlight_V1_WatchDevicesResponse> = try daemon.stream(
      Firstlight_V1_DeviceService.watchDevices, Firstlight_V1_WatchDevicesRequest())
    defer { stream.cancel() }
    // The stream begins with the present cameras. Only the last of these items has an id.
    return try #require(try await stream.through { !$0.event.eventID.isEmpty }.last).event.eventID
  } happen: { daemon, _, _ in
    let before = daemon.devices.events.lastID
    try daemon.cameras.faults.unplug("synthetic-1")
    try daemon.cameras.faults.replug("synthetic-1")
    while daemon.devices.events.lastID < before + 2 {
      try Task.checkCancellation()
      await Task.yield()
    }
  }

  static let pressure: EventKind = EventKind(testDescription: "pressure") { daemon, _, after in
    let stream: ResponseStream<Firstlight_V1_WatchSystemPressureResponse> = try daemon.stream(
      Firstlight_V1_PressureService.watchSystemPressure,
      Firstlight_V1_WatchSystemPressureRequest.with { $0.afterEventID = after })
    return next(stream) { ($0.eventID, true) }
  } newest: { daemon, session in
    let stream: ResponseStream<Firstlight_V1_WatchSystemPressureResponse> = try daemon.stream(
      Firstlight_V1_PressureService.watchSystemPressure, Firstlight_V1_WatchSystemPressureRequest())
    defer { stream.cancel() }
    return try #require(try await stream.next()).eventID
  } happen: { daemon, session, turn in
    // The daemon tells only the newest state, so each must be told before the next one.
    let stream: ResponseStream<Firstlight_V1_WatchSystemPressureResponse> = try daemon.stream(
      Firstlight_V1_PressureService.watchSystemPressure, Firstlight_V1_WatchSystemPressureRequest())
    defer { stream.cancel() }
    _ = try await stream.next()
    try await daemon.simulate(turn % 2 == 0 ? .fair : .serious)
    _ = try await stream.next()
  }
}

/// Event ids: a client whose stream breaks goes on exactly where it was, or learns that it cannot.
@Suite(.timeLimit(.minutes(1))) struct EventStreamsTests {
  private static let name = "sessions/watched"
  private static let lost = "OUT_OF_RANGE EVENTS_LOST"

  /// Runs a test with a running session whose events it watches.
  private func withSession(_ body: (InProcessDaemon) async throws -> Void) async throws {
    try await InProcessDaemon.run { daemon in
      _ = try await daemon.createSession(.small(), id: "watched", start: true)
      try await body(daemon)
    }
  }

  /// The ids of the events of a stream, until as many things have happened.
  private func ids(_ next: EventKind.Next, until happened: Int) async throws -> [String] {
    var (ids, count) = ([String](), 0)
    while count < happened {
      let (id, isWhole) = try await next()
      ids.append(id)
      if isWhole { count += 1 }
    }
    return ids
  }

  /// How a stream that is opened after an event ends at once.
  private func refusal(_ kind: EventKind, _ daemon: InProcessDaemon, _ session: String, _ after: String) async -> String
  {
    do {
      let (id, _) = try await kind.open(daemon, session, after)()
      return "an event \(id)"
    } catch { return (error as? RPCError)?.summary ?? "\(error)" }
  }

  @Test(arguments: EventKind.all) func afterEachEventComeExactlyTheLaterOnes(_ kind: EventKind) async throws {
    try await withSession { daemon in
      try await kind.happen(daemon, Self.name, 0)
      let start = try await kind.newest(daemon, Self.name)
      let whole = try kind.open(daemon, Self.name, start)
      for turn in 1...3 { try await kind.happen(daemon, Self.name, turn) }
      let told = try await ids(whole, until: 3)
      #expect(Set(told).count == told.count && !told.contains(start), "an event came twice")
      for (index, after) in ([start] + told.dropLast()).enumerated() {
        let again = try kind.open(daemon, Self.name, after)
        var seen: [String] = []
        for _ in index..<told.count { seen.append(try await again().id) }
        #expect(seen == Array(told[index...]))
      }
    }
  }

  /// A photo is five events, and a level is told before the next one, so that captures and pressure would take long.
  /// Their logs are as that of a session.
  @Test(arguments: [EventKind.session, EventKind.devices])
  func anEventOfMoreThan1024EventsAgoIsLost(_ kind: EventKind) async throws {
    try await withSession { daemon in
      let info: Firstlight_V1_GetServerInfoResponse = try await daemon.call(
        Firstlight_V1_ServerService.getServerInfo, Firstlight_V1_GetServerInfoRequest())
      #expect(info.serverInfo.limits.maxKeptEvents == 1024)
      // The stream must have commits only.
      if kind.testDescription == "session" { try await daemon.stop(Self.name) }
      let start = try await kind.newest(daemon, Self.name)
      let whole = try kind.open(daemon, Self.name, start)
      let happened = kind.testDescription == "devices" ? 514 : 1028
      for turn in 0..<happened { try await kind.happen(daemon, Self.name, turn) }
      let told = try await ids(whole, until: happened)
      #expect(told.count == 1028)
      for after in [start, told[0], told[told.count - 1026]] {
        #expect(await refusal(kind, daemon, Self.name, after) == Self.lost)
      }
      let kept = try kind.open(daemon, Self.name, told[told.count - 1024])
      for id in told.suffix(1023) { #expect(try await kept().id == id) }
    }
  }

  @Test(arguments: EventKind.ofSessions)
  func aSessionOfTheSameNameDoesNotTakeIDsOfTheFormerOne(_ kind: EventKind) async throws {
    try await withSession { daemon in
      try await kind.happen(daemon, Self.name, 1)
      let before = try await kind.newest(daemon, Self.name)
      try await daemon.delete(Self.name)
      _ = try await daemon.createSession(.small(), id: "watched", start: true)
      try await kind.happen(daemon, Self.name, 1)
      #expect(await refusal(kind, daemon, Self.name, before) == Self.lost)
      #expect(try await kind.newest(daemon, Self.name) != before)
    }
  }

  @Test func aPhotoOutputMadeAnewDoesNotTakeIDsOfTheFormerOne() async throws {
    try await withSession { daemon in
      let kind = EventKind.captures
      try await kind.happen(daemon, Self.name, 0)
      let before = try await kind.newest(daemon, Self.name)
      try await daemon.configure(Self.name, .small { $0.clearPhoto() })
      try await daemon.configure(Self.name, .small())
      try await kind.happen(daemon, Self.name, 0)
      #expect(await refusal(kind, daemon, Self.name, before) == Self.lost)
    }
  }

  /// Each daemon of this test stands for a run of one daemon, in which equally many events happened.
  @Test(arguments: EventKind.all) func noRunTakesIDsOfAFormerRun(_ kind: EventKind) async throws {
    var former: [String] = []
    for _ in 0..<2 {
      try await withSession { daemon in
        try await kind.happen(daemon, Self.name, 1)
        let newest = try await kind.newest(daemon, Self.name)
        for id in former { #expect(await refusal(kind, daemon, Self.name, id) == Self.lost) }
        #expect(!former.contains(newest))
        former.append(newest)
      }
    }
  }

  @Test func noStreamTakesIDsOfAnotherKindOrOfAnotherSessionOrWhatIsNone() async throws {
    try await withSession { daemon in
      let other = "sessions/other"
      // The camera of the other session goes and comes back before the session is there.
      try await EventKind.devices.happen(daemon, Self.name, 1)
      _ = try await daemon.createSession(.small(1), id: "other", start: true)
      var newest: [String: String] = [:]
      for kind in EventKind.all where kind.testDescription != "devices" {
        try await kind.happen(daemon, Self.name, 1)
        newest[kind.testDescription] = try await kind.newest(daemon, Self.name)
      }
      newest["devices"] = try await EventKind.devices.newest(daemon, Self.name)
      #expect(Set(newest.values).count == 4)
      for kind in EventKind.all {
        var unknown = newest.filter { $0.key != kind.testDescription }.map(\.value)
        unknown += [
          "0", "1", "-1", "18446744073709551616", "garbage", "a-1", "-", " ", "ä", "%00", Self.name,
          "\(newest[kind.testDescription] ?? "")0", String(repeating: "x", count: 4000),
        ]
        for id in unknown { #expect(await refusal(kind, daemon, Self.name, id) == Self.lost) }
      }
      for kind in EventKind.ofSessions {
        let id = try #require(newest[kind.testDescription])
        #expect(await refusal(kind, daemon, other, id) == Self.lost)
      }
    }
  }

  @Test func pressureResumedAfterTheNewestStateWaitsForTheNextChange() async throws {
    try await withSession { daemon in
      let next = try EventKind.pressure.open(daemon, Self.name, try await EventKind.pressure.newest(daemon, Self.name))
      try await daemon.simulate(.fair)
      #expect(try await next().id == EventKind.pressure.newest(daemon, Self.name))
    }
  }

  /// CapturePhoto and WatchCaptures give the same event of a capture the same id.
  @Test func aCaptureAndAllCapturesOfItsSessionGiveAnEventTheSameID() async throws {
    try await withSession { daemon in
      let kind = EventKind.captures
      let whole = try kind.open(daemon, Self.name, try await kind.newest(daemon, Self.name))
      let own = try await daemon.photo(Self.name).map(\.eventID)
      #expect(try await ids(whole, until: 1) == own)
    }
  }
}
