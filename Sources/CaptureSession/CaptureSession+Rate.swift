internal import CaptureCore
internal import Logging

/// The rate that the camera is really set to, which only its driver knows.
extension CaptureSession {
  /// Takes over what the driver confirmed when the source started: a driver may list no rates, or set another one than those it
  /// lists. What follows from the rate follows from that one then, and watchers are told: the etag, which names what was asked
  /// for, stays.
  func takeConfirmedRate() {
    guard let format = source?.format, let input = resolved.input, input.frameRate != format.frameRate else { return }
    logger.info(
      "the driver set another rate", metadata: ["asked": "\(input.request.frameRate)", "set": "\(format.frameRate)"])
    self.format = format
    resolved.take(format)
    demand = demand.flatMap { CostDemand(resolved, devices: [$0.device]) }
    setMemory(ringPlan(window: resolved.zeroShutterLagWindow, format: format))
    tellCost()
  }

  /// `asked`, where the rate that the driver confirmed stands for the one that it was asked for. A driver that sets a rate it does
  /// not list would else be asked for something that it does not have by who sends back what was resolved.
  /// With another format or preset the resolver treats it like any other rate.
  func named(_ asked: SessionConfiguration) -> SessionConfiguration {
    guard let present = resolved.input, present.frameRate != present.request.frameRate, let input = asked.inputs.first,
      input.deviceID == present.deviceID, input.frameRate == present.frameRate,
      input.format.map({ ($0.pixelFormat, $0.size) == (present.request.pixelFormat, present.request.size) })
        ?? ((asked.preset ?? .high) == resolved.preset)
    else { return asked }
    var named = asked
    named.inputs[0].frameRate = present.request.frameRate
    return named
  }

  /// What stands against a rate that was asked for, where only the driver knows the rates of the size: `offered` is the nearest
  /// it has.
  func refusal(
    of offered: Rational, to asked: SessionConfiguration, _ input: ResolvedConfiguration.Input
  ) -> CaptureError? {
    guard named(asked).inputs.first?.frameRate != nil, !input.request.frameRate.names(offered) else { return nil }
    var issue = CaptureError.rateNotOffered(
      input.request.frameRate, input.request, device: input.deviceID, .discrete([offered.reciprocal]))
    issue.field = "configuration.inputs[0].frame_rate_override"
    return issue
  }
}

extension ResolvedConfiguration {
  /// Takes what the driver said to the input's request, and what follows from that.
  mutating func take(_ format: StreamFormat) {
    input?.confirmedRate = format.frameRate
    mapsTones = format.layout.isHighDynamicRange
    let plan = RingPlan(window: zeroShutterLagWindow, format: format)
    zeroShutterLagWindow = plan.windowNanoseconds
    let merges = outputs.contains { $0.kind == .photo && $0.photo.maxQuality > .speed }
    frameMemory = plan.poolBudget + (merges ? PhotoFeatures.processingMemory : 0)
  }
}
