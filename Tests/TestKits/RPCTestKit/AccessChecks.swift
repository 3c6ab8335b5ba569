package import RPCCore
internal import Synchronization

/// Lets everybody do everything.
package struct Anybody: AccessCheck {
  /// Makes the check.
  package init() {}

  /// Refuses nothing.
  package func check(_ principal: Principal, _ permission: Permission, on resource: String?) async throws {}
}

/// Keeps what it is asked, and refuses what a test says.
package final class RecordingAccess: AccessCheck {
  /// A question that the check was asked.
  package struct Question: Hashable, Sendable {
    package let principal: Principal
    package let permission: Permission
    package let resource: String?

    /// Makes a question.
    package init(_ principal: Principal, _ permission: Permission, on resource: String?) {
      self.principal = principal
      self.permission = permission
      self.resource = resource
    }
  }

  /// The reason of a refusal.
  package static let reason = "REFUSED_BY_TEST"

  private let asked = Mutex<[Question]>([])
  private let refuses: @Sendable (Question) -> Bool

  /// Makes a check that was asked nothing yet.
  ///
  /// - Parameter refuses: whether the check refuses what it is asked. The default is everything.
  package init(refusing refuses: @escaping @Sendable (Question) -> Bool = { _ in true }) { self.refuses = refuses }

  /// Keeps the question.
  ///
  /// - Throws: ``RPCCore/RPCError`` `PERMISSION_DENIED` for what the test refuses.
  package func check(_ principal: Principal, _ permission: Permission, on resource: String?) async throws {
    let question = Question(principal, permission, on: resource)
    asked.withLock { $0.append(question) }
    if refuses(question) { throw RPCError(.permissionDenied, "The test refuses.", reason: Self.reason) }
  }

  /// Returns the questions since the last call.
  package func takeQuestions() -> [Question] {
    asked.withLock { asked in
      defer { asked = [] }
      return asked
    }
  }
}
