package import FirstlightAPI
package import RPCCore
internal import SwiftProtobuf

/// The calls that many tests make.
extension InProcessDaemon {
  /// Creates a session.
  ///
  /// - Parameters:
  ///   - configuration: its configuration; nil for none.
  ///   - id: its id; an empty one lets the daemon choose.
  ///   - start: whether it starts.
  /// - Throws: the error of the call.
  package func createSession(
    _ configuration: Firstlight_V1_SessionConfiguration? = nil, id: String = "", start: Bool = false
  ) async throws -> Firstlight_V1_Session {
    let response: Firstlight_V1_CreateSessionResponse = try await call(
      Firstlight_V1_SessionService.createSession,
      Firstlight_V1_CreateSessionRequest.with { request in
        request.sessionID = id
        request.start = start
        if let configuration { request.configuration = configuration }
      })
    return response.session
  }

  /// The session of this name.
  ///
  /// - Throws: the error of the call.
  package func session(_ name: String) async throws -> Firstlight_V1_Session {
    let response: Firstlight_V1_GetSessionResponse = try await call(
      Firstlight_V1_SessionService.getSession, Firstlight_V1_GetSessionRequest.with { $0.name = name })
    return response.session
  }

  /// The names of all sessions.
  ///
  /// - Throws: the error of the call.
  package func sessionNames() async throws -> [String] {
    let response: Firstlight_V1_ListSessionsResponse = try await call(
      Firstlight_V1_SessionService.listSessions, Firstlight_V1_ListSessionsRequest())
    return response.sessions.map(\.name)
  }

  /// Gives a session a configuration.
  ///
  /// - Throws: the error of the call.
  @discardableResult package func configure(
    _ name: String, _ configuration: Firstlight_V1_SessionConfiguration, etag: String = "", validateOnly: Bool = false
  ) async throws -> Firstlight_V1_ConfigureSessionResponse {
    try await call(
      Firstlight_V1_SessionService.configureSession,
      Firstlight_V1_ConfigureSessionRequest.configure(name, configuration, etag: etag, validateOnly: validateOnly))
  }

  /// Starts a session.
  ///
  /// - Throws: the error of the call.
  @discardableResult package func start(_ name: String) async throws -> Firstlight_V1_Session {
    let response: Firstlight_V1_StartSessionResponse = try await call(
      Firstlight_V1_SessionService.startSession, Firstlight_V1_StartSessionRequest.with { $0.name = name })
    return response.session
  }

  /// Stops a session.
  ///
  /// - Throws: the error of the call.
  @discardableResult package func stop(_ name: String) async throws -> Firstlight_V1_Session {
    let response: Firstlight_V1_StopSessionResponse = try await call(
      Firstlight_V1_SessionService.stopSession, Firstlight_V1_StopSessionRequest.with { $0.name = name })
    return response.session
  }

  /// Deletes a session.
  ///
  /// - Throws: the error of the call.
  package func delete(_ name: String) async throws {
    try await perform(
      Firstlight_V1_SessionService.deleteSession, Firstlight_V1_DeleteSessionRequest.with { $0.name = name })
  }

  /// Simulates a level of pressure for an hour. The level nominal ends the simulation.
  ///
  /// - Throws: the error of the call.
  package func simulate(_ level: Firstlight_V1_SystemPressureLevel) async throws {
    try await perform(
      Firstlight_Drill_V1_PressureDrillService.simulateLevel,
      Firstlight_Drill_V1_SimulateLevelRequest.with { request in
        request.level = level
        request.duration = .with { $0.seconds = 3600 }
      })
  }

  /// The error of a start that is refused.
  ///
  /// - Throws: ``NotRefused`` when it is not.
  package func refusalOfStart(_ name: String) async throws -> RPCError {
    try await refusal(
      of: Firstlight_V1_SessionService.startSession, Firstlight_V1_StartSessionRequest.with { $0.name = name })
  }

  /// The error of a commit that is refused.
  ///
  /// - Throws: ``NotRefused`` when it is not.
  package func refusalOfConfigure(
    _ name: String, _ configuration: Firstlight_V1_SessionConfiguration, etag: String = ""
  ) async throws -> RPCError {
    try await refusal(
      of: Firstlight_V1_SessionService.configureSession,
      Firstlight_V1_ConfigureSessionRequest.configure(name, configuration, etag: etag))
  }

  /// The error of a creation that is refused.
  ///
  /// - Throws: ``NotRefused`` when it is not.
  package func refusalOfCreation(
    _ configuration: Firstlight_V1_SessionConfiguration? = nil, id: String = "", start: Bool = false
  ) async throws -> RPCError {
    try await refusal(
      of: Firstlight_V1_SessionService.createSession,
      Firstlight_V1_CreateSessionRequest.with { request in
        request.sessionID = id
        request.start = start
        if let configuration { request.configuration = configuration }
      })
  }
}

extension Firstlight_V1_ConfigureSessionRequest {
  /// A request to give a session a configuration.
  package static func configure(
    _ name: String, _ configuration: Firstlight_V1_SessionConfiguration, etag: String = "", validateOnly: Bool = false
  ) -> Self {
    .with {
      $0.name = name
      $0.configuration = configuration
      $0.etag = etag
      $0.validateOnly = validateOnly
    }
  }
}

extension Firstlight_V1_SessionConfiguration {
  /// A preview and a photo output of small frames of a synthetic camera.
  ///
  /// - Parameters:
  ///   - camera: the number of the camera.
  ///   - change: changes the configuration.
  package static func small(
    _ camera: Int = 0, _ change: (inout Firstlight_V1_SessionConfiguration) -> Void = { _ in }
  ) -> Self {
    .with { configuration in
      configuration.inputs = [
        .with {
          $0.device = "devices/synthetic-\(camera)"
          $0.format = .with { ($0.pixelFormat, $0.width, $0.height) = ("NV12", 320, 180) }
          $0.frameRateOverride = .with { ($0.numerator, $0.denominator) = (30, 1) }
        }
      ]
      configuration.preview = .init()
      configuration.photo = .init()
      change(&configuration)
    }
  }
}
