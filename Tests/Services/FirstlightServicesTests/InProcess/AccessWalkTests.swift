import FirstlightAPI
import FirstlightTestKit
import Foundation
import GoogleRPC
import HTTPTransport
import RPCCore
import RPCTestKit
import SwiftProtobuf
import SystemClocks
import Testing

@testable import FirstlightServices
@testable import LocalTransport

/// Whatever the daemon serves passes the one access check first, whichever way a client comes. The check of these tests
/// refuses, so that everything that gets further than the check is found.
@Suite(.timeLimit(.minutes(1))) struct AccessWalkTests {
  private typealias Question = RecordingAccess.Question

  /// Every method of the descriptor set, and no other one, is there, and its check learns what the request is about.
  @Test func everyMethodIsChecked() async throws {
    let check = RecordingAccess()
    try await InProcessDaemon.run({ $0.access = check }) { daemon in
      let methods = try ContractMethod.all()
      #expect(Set(daemon.router.methods.map(\.name)) == Set(methods.map(\.descriptor.name)))
      for method in methods {
        let responses: ResponseStream<Anything> = try daemon.stream(method.descriptor, method.request, by: .root)
        #expect(try await responses.error().reason == RecordingAccess.reason, "\(method.descriptor.name)")
        let questions = check.takeQuestions()
        #expect(questions.count == 1, "\(method.descriptor.name)")
        #expect(questions.first?.principal == InProcessDaemon.Client.root.principal)
        if method.resources.isEmpty {
          #expect(questions.first?.resource == nil, "\(method.descriptor.name)")
        } else {
          #expect(method.resources.contains(questions.first?.resource ?? ""), "\(method.descriptor.name)")
        }
      }
    }
  }

  /// Every page and every file by HTTP is checked.
  @Test func everyPageIsChecked() async throws {
    let check = RecordingAccess()
    try await InProcessDaemon.run({ $0.access = check }) { daemon in
      let metrics = MetricsPage(of: daemon.services, version: "1", processStart: .now()) { _ in }
      let pages = daemon.services.pages(HealthState(services: [""]), metrics)
      let file = HTTPFile("/page.js", .viewServer, contentType: "text/javascript") { [1] }
      try await HTTPVisitor.visit(pages: pages, files: [file], access: check) { visitor in
        // A path that ends with a slash stands for the longer ones.
        for target in pages.map({ $0.target.hasSuffix("/") ? "\($0.target)x" : $0.target }) + [file.path] {
          let answer = try await visitor.get(target)
          #expect(answer.hasPrefix("HTTP/1.1 403") && answer.contains("The test refuses."), "\(target)")
          #expect(check.takeQuestions().map(\.principal) == [.thisMachine], "\(target)")
        }
        for target in ["/stream.mjpg?session=a", "/recordings?session=sessions/a", "/recordings/a"] {
          _ = try await visitor.get(target)
        }
        #expect(check.takeQuestions().map(\.resource) == ["sessions/a", "sessions/a", "recordings/a"])
        let nothing = try await visitor.get("/nothing")
        #expect(nothing.hasPrefix("HTTP/1.1 404"))
        #expect(check.takeQuestions() == [])
      }
    }
  }

  /// The parts of a viewfinder are checked one by one, as the methods that they are named after.
  @Test func everyPartOfAViewfinderIsChecked() async throws {
    let stream = Question(.thisMachine, .viewMedia, on: nil)
    let check = RecordingAccess { $0 != stream }
    try await InProcessDaemon.run({ $0.access = check }) { daemon in
      let endings = try await Self.endings(
        of: .with {
          $0.previews = [
            .with {
              $0.id = "p"
              $0.request.session = "sessions/a"
            }
          ]
          $0.sessions = ["sessions/b"]
          $0.meteredSessions = ["sessions/c"]
          ($0.pressure, $0.devices) = (true, true)
        }, count: 5, daemon)
      #expect(endings == Array(repeating: RecordingAccess.reason, count: 5))
      let expected: Set = [
        stream, Question(.thisMachine, .viewMedia, on: "sessions/a"),
        Question(.thisMachine, .viewSessions, on: "sessions/b"),
        Question(.thisMachine, .viewSessions, on: "sessions/c"), Question(.thisMachine, .viewServer, on: nil),
        Question(.thisMachine, .viewDevices, on: nil),
      ]
      #expect(Set(check.takeQuestions()) == expected)
    }
  }

  /// The part of a session shows captures, too, so it needs the right to view photos.
  @Test func aSessionInAViewfinderNeedsTheRightToViewPhotos() async throws {
    let photos = Question(.thisMachine, .viewPhotos, on: "sessions/b")
    let check = RecordingAccess { $0 == photos }
    try await InProcessDaemon.run({ $0.access = check }) { daemon in
      let endings = try await Self.endings(of: .with { $0.sessions = ["sessions/b"] }, count: 1, daemon)
      #expect(endings == [RecordingAccess.reason])
      #expect(check.takeQuestions().contains(photos))
    }
  }

  /// The reasons for which the parts of a viewfinder end.
  private static func endings(
    of contents: Firstlight_V1_ViewfinderContents, count: Int, _ daemon: InProcessDaemon
  ) async throws -> [String] {
    let responses: ResponseStream<Firstlight_V1_StreamViewfinderResponse> = try daemon.stream(
      Firstlight_V1_ViewfinderService.streamViewfinder,
      Firstlight_V1_StreamViewfinderRequest.with { $0.contents = contents })
    var endings: [String] = []
    _ = try await responses.through { response in
      if case .ended(let ending)? = response.content { endings.append(ending.error.reason ?? "") }
      return endings.count == count
    }
    return endings
  }

  /// A program on the local socket is checked as the process that the kernel names, before it gets a frame.
  @Test func aProgramOnTheLocalSocketIsChecked() async throws {
    let check = RecordingAccess()
    let process = Principal.process(PeerCredentials(processID: 7, userID: 8, groupID: 9))
    try await InProcessDaemon.run({ $0.access = check }) { daemon in
      var ends: [Int32] = [-1, -1]
      let failure = socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends)
      try #require(failure == 0)
      let program = ends[1]
      defer { close(program) }
      let connection = LocalConnection(ends[0], of: LocalPeer(processID: 7, userID: 8, groupID: 9))
      let open: [UInt8] = try Firstlight_V1_SharedVideoDataRequest.with { $0.open.session = "sessions/a" }
        .serializedBytes()
      #expect(send(program, open, open.count, Int32(MSG_NOSIGNAL)) == open.count)
      await daemon.services.serveSharedVideoData(connection)
      connection.close()
      // The answer is there by now.
      var answer = [UInt8](repeating: 0, count: 4096)
      let count = recv(program, &answer, answer.count, Int32(MSG_DONTWAIT))
      let response = try Firstlight_V1_SharedVideoDataResponse(serializedBytes: Array(answer.prefix(max(0, count))))
      #expect(response.error.reason == RecordingAccess.reason)
      #expect(check.takeQuestions() == [Question(process, .viewMedia, on: "sessions/a")])
    }
  }
}
