import RPCCore
import Testing

/// Which calls come from this machine, so that they may end what the operator declared, and use the photo library.
@Suite struct PrincipalTests {
  @Test(arguments: [
    "unix:", "unix:/run/firstlight/s.sock", "ipv4:127.0.0.1:4711", "ipv4:127.9.0.1:1", "ipv6:%5B::1%5D:4711",
    "ipv6:%5B::ffff:127.0.0.1%5D:4711",
  ])
  func programsOfThisMachineAre(peer: String) {
    #expect(Principal(at: peer) { _ in false } == .thisMachine)
  }

  @Test(arguments: [
    "", "ipv4:192.0.2.7:4711", "ipv4:12.7.0.1:1", "ipv6:%5B2001:db8::1%5D:4711", "ipv6:%5B::ffff:192.0.2.7%5D:4711",
    "ipv6:%5B::1:2%5D:4711",
  ])
  func nobodyElseIs(peer: String) {
    #expect(Principal(at: peer) { _ in false } == .anonymous)
  }

  /// A proxy on this machine calls for clients who may be anywhere.
  @Test(arguments: [
    "forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip", "via",
    "x-envoy-external-address",
  ])
  func clientsOfAProxyAreNot(field: String) {
    #expect(Principal(at: "ipv4:127.0.0.1:4711") { $0 == field } == .anonymous)
  }

  @Test func theKernelsWordOnAProcessIsEnough() {
    #expect(Principal.process(PeerCredentials(processID: 1, userID: 2, groupID: 3)).isOnThisMachine)
  }
}
