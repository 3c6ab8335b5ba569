internal import CaptureCore
internal import CaptureSessions
internal import RPCCore

/// Who may end what the operator declared in the configuration file. Until callers have roles, that is who calls from
/// this machine: over a Unix socket or the loopback interface. The capacity of the video storage needs more, see
/// ``StandardAccess``.
enum OperatorRight {
  /// The fields by which a proxy says that it calls for somebody else. A proxy on this machine calls from the loopback
  /// interface, wherever its clients are.
  private static let fieldsOfProxies = ["forwarded", "x-forwarded-for", "x-real-ip", "via"]

  /// Checks that a call may end or change a session.
  ///
  /// - Parameter action: what the call does, after "Only the operator may".
  /// - Throws: `operatorRequired` for a session of the configuration file, unless the call comes from this machine.
  static func check(
    _ session: CaptureSession, _ context: CallContext, _ action: String
  ) throws(CaptureError) {
    guard session.isDeclared else { return }
    try check(context, "\(action) session \(session.id)", session: session.id)
  }

  /// Checks that a call comes from this machine.
  ///
  /// - Parameters:
  ///   - action: what the call does, after "Only the operator may".
  ///   - session: the id of the session of the configuration file.
  /// - Throws: `operatorRequired`.
  static func check(_ context: CallContext, _ action: String, session: String) throws(CaptureError) {
    guard !isOfThisMachine(context) else { return }
    throw CaptureError(
      .operatorRequired,
      "Only the operator may \(action), which the configuration file of the daemon declares; call from the daemon's "
        + "own machine, by its loopback address or a Unix socket.", metadata: ["session": session])
  }

  /// Whether a call comes from a program on this machine, as far as its address and its metadata tell.
  static func isOfThisMachine(_ context: CallContext) -> Bool {
    if context.principal.process != nil { return true }
    let loopback = ["unix:", "ipv4:127.", "ipv6:%5B::1%5D:", "ipv6:%5B::ffff:127."]
    guard loopback.contains(where: context.peer.hasPrefix) else { return false }
    return !fieldsOfProxies.contains { !context.metadata.values(forKey: $0).isEmpty }
  }
}
