internal import CaptureSessions
internal import FirstlightAPI
internal import SwiftProtobuf

extension ConfigurationCost.Component {
  var proto: Firstlight_V1_CostComponent {
    .with {
      $0.resource = resource.proto
      $0.description_p = description
      $0.cost = cost
      $0.demand = demand
      $0.capacity = capacity
      $0.unit = resource.unit
      $0.certainty = certainty.proto
    }
  }
}

extension ConfigurationCost.Certainty {
  fileprivate var proto: Firstlight_V1_CostComponent.Certainty {
    switch self {
    case .exact: .exact
    case .estimated: .estimated
    case .unknown: .unknown
    }
  }
}

extension ConfigurationCost.Component.Resource {
  fileprivate var proto: Firstlight_V1_CostComponent.Resource {
    switch self {
    case .usbBandwidth: .usbBandwidth
    case .memoryBandwidth: .memoryBandwidth
    case .conversion: .conversion
    case .encoding: .encoding
    case .sensorReadout: .sensorReadout
    }
  }
}

extension ConfigurationCost.Component.Resource {
  fileprivate var unit: Firstlight_V1_CostComponent.Unit {
    switch self {
    case .usbBandwidth, .memoryBandwidth: .bytesPerSecond
    case .conversion, .encoding, .sensorReadout: .pixelsPerSecond
    }
  }
}

extension CostReduction {
  var proto: Firstlight_V1_CostReduction {
    .with {
      $0.field = field
      $0.description_p = description
      $0.configuration = configuration.proto
      $0.hardwareCost = cost.hardware
      $0.systemPressureCost = cost.systemPressure
    }
  }
}
