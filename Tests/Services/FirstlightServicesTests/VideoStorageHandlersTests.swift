import CaptureCore
import Foundation
import RPCCore
import Testing

@testable import FirstlightServices

/// Who may set the capacity of the video storage, and where its settings are.
struct VideoStorageHandlersTests {
  private static func peer(_ user: UInt32) -> PeerCredentials {
    PeerCredentials(processID: 1, userID: user, groupID: 1)
  }

  @Test(arguments: [0, geteuid()]) func theUserOfTheDaemonAndRootAreOperators(user: UInt32) async throws {
    try await StandardAccess().check(.process(Self.peer(user)), .setStorageCapacity, on: nil)
  }

  /// Only a Unix socket tells who calls, so nobody is an operator elsewhere, not even on the loopback interface.
  @Test(arguments: [Principal.anonymous, .process(peer(geteuid() + 1))]) func nobodyElseIs(principal: Principal) async {
    let error = await #expect(throws: CaptureError.self) {
      try await StandardAccess().check(principal, .setStorageCapacity, on: nil)
    }
    #expect(error?.reason == .operatorRequired)
  }

  /// A container shows all users whom it does not know as one user. A daemon that runs as that user knows nobody.
  @Test func theUserWhoStandsForAllUnknownOnesIsNoOperator() async {
    let error = await #expect(throws: CaptureError.self) {
      try await StandardAccess(own: 65534).check(.process(Self.peer(65534)), .setStorageCapacity, on: nil)
    }
    #expect(error?.reason == .operatorRequired)
  }

  @Test func aPathBecomesAURI() {
    #expect(VideoStorageHandlers.uri(of: "/etc/my cam/ü.yaml") == "file:///etc/my%20cam/%C3%BC.yaml")
  }
}
