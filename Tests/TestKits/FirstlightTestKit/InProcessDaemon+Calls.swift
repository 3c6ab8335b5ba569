internal import FirstlightServices
package import RPCCore
package import SwiftProtobuf

extension InProcessDaemon {
  /// The client of a call, as a transport describes it to the handlers.
  package struct Client: Sendable {
    /// The address.
    package var peer: String
    /// The process that calls, for a Unix socket.
    package var process: PeerCredentials?
    /// The metadata that the client sends before its first request.
    package var metadata = Metadata()

    /// Who the client is, as far as a transport can tell.
    package var principal: Principal {
      process.map(Principal.process) ?? Principal(at: peer) { !metadata.values(forKey: $0).isEmpty }
    }

    /// A program on this machine, by the loopback interface.
    package static var local: Client { Client(peer: "ipv4:127.0.0.1:4711") }
    /// A program on another machine.
    package static var remote: Client { Client(peer: "ipv4:192.0.2.1:4711") }
    /// A program of root on this machine, by a Unix socket.
    package static var root: Client {
      Client(peer: "unix:", process: PeerCredentials(processID: 1, userID: 0, groupID: 0))
    }
  }

  /// Calls a method with one response.
  ///
  /// - Throws: the ``RPCCore/RPCError`` that the client gets.
  package func call<Response: Message>(
    _ method: MethodDescriptor, _ request: some Message, by client: Client = .local
  ) async throws -> Response {
    guard let response: Response = try await stream(method, request, by: client).next() else {
      throw StreamEnded(description: "\(method.name) gave no response.")
    }
    return response
  }

  /// Calls a method with one response, which says nothing.
  ///
  /// - Throws: the ``RPCCore/RPCError`` that the client gets.
  package func perform(
    _ method: MethodDescriptor, _ request: some Message, by client: Client = .local
  ) async throws {
    let _: Anything = try await call(method, request, by: client)
  }

  /// Calls a method with one request and a stream of responses.
  ///
  /// - Throws: SwiftProtobuf's error when the request cannot be encoded.
  package func stream<Response: Message>(
    _ method: MethodDescriptor, _ request: some Message, by client: Client = .local
  ) throws -> ResponseStream<Response> {
    ResponseStream(begin(method, client, [try request.serializedBytes()], isOver: true))
  }

  /// Calls a method with streams both ways, whose client sends its requests while the call runs.
  package func open<Response: Message>(
    _ method: MethodDescriptor, by client: Client = .local
  ) -> ResponseStream<Response> {
    ResponseStream(begin(method, client, [], isOver: false))
  }

  /// Returns the error of a call that the daemon refuses before it gives a response. Each field that the error names
  /// must be a field of the request.
  ///
  /// - Throws: ``NotRefused`` when the call succeeds, or when its error is not well formed.
  package func refusal<Request: Message>(
    of method: MethodDescriptor, _ request: Request, by client: Client = .local
  ) async throws -> RPCError {
    let responses: ResponseStream<Anything> = try stream(method, request, by: client)
    do {
      _ = try await responses.next()
    } catch let error as RPCError {
      try error.checkForm(of: Request.self)
      return error
    }
    throw NotRefused(description: "\(method.name) was not refused.")
  }
}

/// A response that nobody looks at: any message is decoded as one without fields of its own.
package typealias Anything = Google_Protobuf_Empty

/// A call was not refused as every refusal must be.
package struct NotRefused: Error, CustomStringConvertible {
  package let description: String
}
