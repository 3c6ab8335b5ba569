internal import FirstlightAPI
internal import GRPCTransport
internal import SystemPressure

/// PressureService: one file per method beside this one.
struct PressureHandlers: Sendable {
  let monitor: PressureMonitor

  func register(on router: inout RPCRouter) {
    func method(_ name: String) -> MethodDescriptor {
      MethodDescriptor(service: "firstlight.v1.PressureService", method: name)
    }
    router.unary(method("GetSystemPressure"), getSystemPressure)
    router.serverStreaming(method("WatchSystemPressure"), watchSystemPressure)
    router.unary(method("GetPressureHistory"), getPressureHistory)
  }
}
