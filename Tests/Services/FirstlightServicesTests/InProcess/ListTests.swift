import FirstlightAPI
import FirstlightTestKit
import RPCCore
import SwiftProtobuf
import SyntheticCapture
import Testing

/// A method that lists something in pages, with filters.
struct ListMethod: Sendable, CustomTestStringConvertible {
  /// A page, and the token of the next one.
  typealias Page = (names: [String], next: String)

  let testDescription: String
  let page: @Sendable (_ daemon: InProcessDaemon, _ size: Int32, _ token: String) async throws -> Page
  let refusal: @Sendable (_ daemon: InProcessDaemon, _ size: Int32, _ token: String) async throws -> RPCError

  static func devices(
    _ what: String = "devices",
    _ filter: @escaping @Sendable (inout Firstlight_V1_ListDevicesRequest) -> Void = { _ in }
  ) -> Self {
    let method = Firstlight_V1_DeviceService.listDevices
    let request: @Sendable (Int32, String) -> Firstlight_V1_ListDevicesRequest = { size, token in
      .with {
        ($0.pageSize, $0.pageToken) = (size, token)
        filter(&$0)
      }
    }
    return Self(testDescription: what) { daemon, size, token in
      let answer: Firstlight_V1_ListDevicesResponse = try await daemon.call(method, request(size, token))
      return (answer.devices.map(\.name), answer.nextPageToken)
    } refusal: {
      try await $0.refusal(of: method, request($1, $2))
    }
  }

  static let sessions = {
    let method = Firstlight_V1_SessionService.listSessions
    let request: @Sendable (Int32, String) -> Firstlight_V1_ListSessionsRequest = { size, token in
      .with { ($0.pageSize, $0.pageToken) = (size, token) }
    }
    return Self(testDescription: "sessions") { daemon, size, token in
      let answer: Firstlight_V1_ListSessionsResponse = try await daemon.call(method, request(size, token))
      return (answer.sessions.map(\.name), answer.nextPageToken)
    } refusal: {
      try await $0.refusal(of: method, request($1, $2))
    }
  }()

  static func captures(
    _ what: String = "captures",
    _ filter: @escaping @Sendable (inout Firstlight_V1_ListCapturesRequest) -> Void = { _ in }
  ) -> Self {
    let method = Firstlight_V1_PhotoService.listCaptures
    let request: @Sendable (Int32, String) -> Firstlight_V1_ListCapturesRequest = { size, token in
      .with {
        ($0.pageSize, $0.pageToken) = (size, token)
        filter(&$0)
      }
    }
    return Self(testDescription: what) { daemon, size, token in
      let answer: Firstlight_V1_ListCapturesResponse = try await daemon.call(method, request(size, token))
      return (answer.captures.map(\.name), answer.nextPageToken)
    } refusal: {
      try await $0.refusal(of: method, request($1, $2))
    }
  }

  /// Every item from the page of a token on.
  func rest(of daemon: InProcessDaemon, size: Int32, from token: String = "") async throws -> [String] {
    var (names, next) = try await page(daemon, size, token)
    while !next.isEmpty {
      let (more, after) = try await page(daemon, size, next)
      try #require(!more.isEmpty, "a page that was promised is empty")
      names += more
      next = after
    }
    return names
  }
}

/// The pages of a list hold every item once, even when items come and go between the pages.
@Suite(.timeLimit(.minutes(1))) struct ListTests {
  private static let lists = [ListMethod.devices(), .sessions, .captures()]

  /// Runs a test with five cameras, five sessions and five captures of one of them.
  private func withMany(_ body: (InProcessDaemon) async throws -> Void) async throws {
    try await InProcessDaemon.run {
      $0.cameras = 5
    } _: { daemon in
      for name in "abcde" { _ = try await daemon.createSession(id: "\(name)") }
      try await daemon.configure("sessions/a", .small())
      try await daemon.start("sessions/a")
      for _ in 0..<5 { _ = try await daemon.photo("sessions/a") }
      try await body(daemon)
    }
  }

  @Test(arguments: lists) func pagesOfAnySizeHoldEverythingOnceAndInOrder(_ list: ListMethod) async throws {
    try await withMany { daemon in
      let whole = try await list.rest(of: daemon, size: 0)
      #expect(Set(whole).count == 5 && whole.count == 5)
      for size: Int32 in [1, 2, 3, 5, 6, 100, 101, .max] {
        let (first, next) = try await list.page(daemon, size, "")
        #expect(first.count == min(Int(size), 5))
        #expect(next.isEmpty == (first.count == 5), "the last page has no token")
        #expect(try await first + (next.isEmpty ? [] : list.rest(of: daemon, size: size, from: next)) == whole)
      }
      // Pages may differ in size, and may be read again.
      let (first, next) = try await list.page(daemon, 1, "")
      for _ in 0..<2 { #expect(try await first + list.rest(of: daemon, size: .max, from: next) == whole) }
    }
  }

  @Test(arguments: lists, [-1, Int32.min]) func aNegativePageSizeIsRefused(_ list: ListMethod, size: Int32) async throws
  {
    try await InProcessDaemon.run { daemon in
      let error = try await list.refusal(daemon, size, "")
      #expect(error.summary == "INVALID_ARGUMENT INVALID_ARGUMENT")
      #expect(error.fields == ["page_size"])
    }
  }

  /// A token of another list is none either, although both have items.
  @Test(arguments: lists) func whatIsNoTokenIsRefused(_ list: ListMethod) async throws {
    try await withMany { daemon in
      var tokens = [
        "0", "1", "-1", "99999999999999999999", "garbage", "AAAA", " ", "ä", String(repeating: "x", count: 5000),
      ]
      for other in Self.lists where other.testDescription != list.testDescription {
        tokens.append(try await other.page(daemon, 1, "").next)
      }
      for token in tokens {
        let error = try await list.refusal(daemon, 1, token)
        #expect(error.summary == "INVALID_ARGUMENT INVALID_ARGUMENT")
        #expect(error.fields == ["page_token"])
      }
    }
  }

  private static let filters: [(before: ListMethod, after: ListMethod)] = {
    let devices: [ListMethod] = [
      .devices(), .devices("of a type") { $0.deviceTypes = [.synthetic] },
      .devices("of a medium") { $0.mediaType = .video },
      .devices("of a format") { $0.formatQuery.pixelFormat = "NV12" },
    ]
    let captures: [ListMethod] = [
      .captures(), .captures("in a state") { $0.state = .finished },
      .captures("of a session") { $0.session = "sessions/a" }, .captures("from 1 s on") { $0.startTime.seconds = 1 },
      .captures("from 2 s on") { $0.startTime.seconds = 2 },
    ]
    // A token that forgot one filter would pass between the list without filters and the list with this one.
    return [devices, captures].flatMap { kinds in
      kinds.dropFirst().flatMap { [(kinds[0], $0), ($0, kinds[0])] }
    } + [(captures[3], captures[4])]
  }()

  @Test(arguments: filters) func aTokenOfOtherFiltersIsRefused(_ before: ListMethod, _ after: ListMethod) async throws {
    try await withMany { daemon in
      let (_, token) = try await before.page(daemon, 1, "")
      let error = try await after.refusal(daemon, 1, token)
      #expect(error.summary == "INVALID_ARGUMENT INVALID_ARGUMENT")
      #expect(error.fields == ["page_token"])
      #expect(try await before.page(daemon, 1, token).names.count == 1, "its own filters still take it")
    }
  }

  /// A former run has other captures under the same numbers.
  @Test func aTokenOfCapturesOfAFormerRunIsRefused() async throws {
    var former: String?
    for _ in 0..<2 {
      try await withMany { daemon in
        let (_, token) = try await ListMethod.captures().page(daemon, 1, "")
        if let former {
          #expect(try await ListMethod.captures().refusal(daemon, 1, former).fields == ["page_token"])
        }
        former = token
      }
    }
  }

  @Test(arguments: ["b", "c", "d", "bc", "cd", "bcde"])
  func sessionsThatComeAndGoMoveNoOthers(_ removed: String) async throws {
    try await InProcessDaemon.run { daemon in
      for letter in "bcdefg" { _ = try await daemon.createSession(id: "\(letter)") }
      var (read, next) = try await ListMethod.sessions.page(daemon, 2, "")
      #expect(read == ["sessions/b", "sessions/c"])
      for letter in removed { try await daemon.delete("sessions/\(letter)") }
      for id in ["a", "b2", "c2", "f2"] { _ = try await daemon.createSession(id: id) }
      let second = try await ListMethod.sessions.page(daemon, 2, next)
      (read, next) = (read + second.names, second.next)
      _ = try await daemon.createSession(id: "a2")
      read += try await ListMethod.sessions.rest(of: daemon, size: 2, from: next)
      #expect(Set(read).count == read.count)
      #expect(Set("bcdefg".filter { !removed.contains($0) }.map { "sessions/\($0)" }).isSubset(of: read))
      #expect(read == read.sorted())
    }
  }

  @Test(arguments: 0..<4) func camerasThatComeAndGoMoveNoOthers(_ removed: Int) async throws {
    try await InProcessDaemon.run {
      $0.cameras = 5
    } _: { daemon in
      let faults = daemon.cameras.faults
      try faults.unplug("synthetic-4")
      let first = try await ListMethod.devices().page(daemon, 2, "")
      try faults.unplug("synthetic-\(removed)")
      try faults.replug("synthetic-4")
      let read = try await first.names + ListMethod.devices().rest(of: daemon, size: 2, from: first.next)
      #expect(Set(read).count == read.count)
      #expect(Set((0..<4).filter { $0 != removed }.map { "devices/synthetic-\($0)" }).isSubset(of: read))
    }
  }

  @Test(arguments: [
    (Firstlight_V1_ListCapturesRequest.with { $0.session = "nowhere" }, "session"),
    (.with { $0.session = "devices/a" }, "session"),
    (.with { $0.state = .UNRECOGNIZED(99) }, "state"),
    (.with { $0.startTime.seconds = 1 << 60 }, "start_time"),
    (.with { $0.startTime.nanos = -1 }, "start_time"),
    (.with { $0.endTime.nanos = 1_000_000_000 }, "end_time"),
    (.with { ($0.startTime.seconds, $0.endTime.seconds) = (20, 10) }, "end_time"),
    (.with { ($0.startTime.seconds, $0.endTime.seconds) = (20, 20) }, "end_time"),
  ]) func aBadFilterIsRefusedByName(_ request: Firstlight_V1_ListCapturesRequest, _ field: String) async throws {
    try await InProcessDaemon.run { daemon in
      let error = try await daemon.refusal(of: Firstlight_V1_PhotoService.listCaptures, request)
      #expect(error.summary == "INVALID_ARGUMENT INVALID_ARGUMENT")
      #expect(error.fields == [field])
    }
  }
}
