public import SwiftProtobuf

/// What a method asks of its callers.
public struct MethodRule: Sendable {
  let method: MethodDescriptor
  let permission: Permission
  /// A ``ResourceReader`` of the method's requests. Nil for a method whose requests name no resource.
  let reader: (any Sendable)?

  /// Makes the rule of a method whose requests name no resource.
  public init(_ method: MethodDescriptor, _ permission: Permission) {
    self.method = method
    self.permission = permission
    reader = nil
  }

  /// Makes the rule of a method.
  ///
  /// - Parameters:
  ///   - method: the method as the contract declares it.
  ///   - permission: what a caller needs the right for.
  ///   - resource: returns the resource name that a request is about, and an empty text when the request names none. Of
  ///     a stream of requests it gets the first one.
  public init<Q: Message>(
    _ method: MethodDescriptor, _ permission: Permission, on resource: @escaping @Sendable (Q) -> String
  ) {
    self.method = method
    self.permission = permission
    reader = ResourceReader(read: resource)
  }
}

/// The access check of a server's methods, with the rule of each method.
public struct MethodAccess: Sendable {
  private let check: any AccessCheck
  private let rules: [MethodName: MethodRule]

  /// Makes an access check of methods. It is a programming error to give two rules of one method.
  public init(_ check: any AccessCheck, _ rules: [MethodRule]) {
    self.check = check
    self.rules = Dictionary(uniqueKeysWithValues: rules.map { ($0.method.name, $0) })
  }

  /// Checks that a principal may call a method. The router does this for every call. A handler does it that serves a
  /// part of its stream as another method.
  ///
  /// - Throws: the error for the client.
  public func check<Q: Message>(
    _ principal: Principal, calling method: MethodDescriptor, with request: Q
  ) async throws {
    try await gate(of: method).check(principal, request)
  }

  /// Checks that a principal may do one of the things that its call asks for. A handler does it that needs more rights
  /// for some requests than its method's rule says.
  ///
  /// - Throws: the error for the client.
  public func check(_ principal: Principal, _ permission: Permission, on resource: String) async throws {
    try await check.check(principal, permission, on: resource.isEmpty ? nil : resource)
  }

  /// Returns the check of a method's calls. It is a programming error to have no rule for the method, or a rule for
  /// other requests.
  func gate<Q: Message>(of method: MethodDescriptor) -> MethodGate<Q> {
    guard let rule = rules[method.name] else { preconditionFailure("\(method.name) has no access rule") }
    let reader = rule.reader.map { reader in
      guard let reader = reader as? ResourceReader<Q> else {
        preconditionFailure("the access rule of \(method.name) does not read a \(Q.protoMessageName)")
      }
      return reader
    }
    return MethodGate(access: check, permission: rule.permission, reader: reader)
  }
}

/// The access check of one method.
struct MethodGate<Q: Message>: Sendable {
  fileprivate let access: any AccessCheck
  fileprivate let permission: Permission
  fileprivate let reader: ResourceReader<Q>?

  /// Checks that a principal may make a call.
  ///
  /// - Parameter request: the first request; nil when the client sent none.
  /// - Throws: the error for the client.
  func check(_ principal: Principal, _ request: Q?) async throws {
    let resource = request.flatMap { request in reader?.read(request) } ?? ""
    try await access.check(principal, permission, on: resource.isEmpty ? nil : resource)
  }
}

private struct ResourceReader<Q: Message>: Sendable {
  let read: @Sendable (Q) -> String
}
