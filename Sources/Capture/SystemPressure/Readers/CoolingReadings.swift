/// The devices with which the kernel cools, and how much the cooling slows processors down.
public struct CoolingReadings: Hashable, Sendable {
  var devices: [CoolingDevice] = []
  var frequencyLimits: [FrequencyLimit] = []
  var throttleCounters: [ThrottleCounter] = []
  /// The folders that could not be read, with the reasons.
  var faults: [String] = []
}
