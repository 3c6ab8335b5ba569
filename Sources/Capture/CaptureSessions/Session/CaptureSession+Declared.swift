internal import CaptureCore

/// Sessions that the configuration file declares.
extension CaptureSession {
  /// Why the session does not run although the configuration file declares that it does, as a sentence for the
  /// operator. Nil when it runs, or when it starts on demand and waits for a viewer, and for a session of a client.
  public func declaredFailure() -> String? {
    guard isDeclared else { return nil }
    let isOnDemand = port.viewers.idleTimeout != nil
    switch status.state {
    case .running: return nil
    case .interrupted:
      do throws(CaptureError) { try checkInterruption() } catch { return error.message }
      return "Session \(id) is interrupted."
    case .stopped where isOnDemand:
      guard committed.resolved.inputs.isEmpty, !committed.asked.inputs.isEmpty else { return nil }
      let cameras = committed.asked.inputs.filter { !$0.deviceID.isEmpty }.map { "devices/\($0.deviceID)" }
      return "Session \(id) waits until all of its cameras have been there once: \(cameras.joined(separator: ", "))."
    case .starting where isOnDemand, .stopping where isOnDemand: return nil
    case .stopped: return "Session \(id) is stopped; start it by StartSession."
    case .starting, .stopping: return "Session \(id) is \(status.state)."
    }
  }
}
