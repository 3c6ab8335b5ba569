internal import CaptureCore
internal import FirstlightAPI
internal import Foundation
internal import SwiftProtobuf

extension Control {
  var proto: Firstlight_V1_Control {
    .with {
      $0.id = id
      $0.displayName = displayName
      $0.v4L2ID = v4l2ID
      $0.controlType = kind.proto
      $0.minimum = range.minimum
      $0.maximum = range.maximum
      $0.step = range.step
      $0.defaultValue = defaultValue
      $0.menuItems = menuItems.map { item in
        .with {
          $0.index = item.index
          $0.label = item.label
          $0.number = item.value
        }
      }
      if let value { $0.value = value.proto }
      $0.readOnly = flags.isReadOnly
      $0.inactive = flags.isInactive
      $0.grabbed = flags.isGrabbed
      $0.volatile = flags.isVolatile
      $0.dimensions = dimensions
    }
  }
}

extension Control.Kind {
  var proto: Firstlight_V1_ControlType {
    switch self {
    case .integer: .integer
    case .boolean: .boolean
    case .menu: .menu
    case .integerMenu: .integerMenu
    case .button: .button
    case .integer64: .integer64
    case .string: .string
    case .bitmask: .bitmask
    case .u8: .u8
    case .u16: .u16
    case .u32: .u32
    case .unknown: .unspecified
    }
  }
}

extension ControlValue {
  var proto: Firstlight_V1_ControlValue {
    .with {
      switch self {
      case .integer(let number): $0.integer = number
      case .boolean(let isOn): $0.boolean = isOn
      case .text(let text): $0.string = text
      case .elements(let bytes): $0.array = Data(bytes)
      }
    }
  }

  /// Reads a value from a request. Nil when the client set none, which asks for the control's default.
  init?(_ proto: Firstlight_V1_ControlValue) {
    switch proto.value {
    case .integer(let number): self = .integer(number)
    case .boolean(let isOn): self = .boolean(isOn)
    case .string(let text): self = .text(text)
    case .array(let bytes): self = .elements([UInt8](bytes))
    case nil: return nil
    }
  }
}

extension ControlSetting {
  init(_ proto: Firstlight_V1_ControlSetting) {
    self.init(control: proto.control, value: ControlValue(proto.value))
  }
}

extension ControlResult {
  /// The result as clients get it.
  ///
  /// - Parameter asked: the value that the client asked for; nil when the client asked for the control's default.
  func proto(asked: ControlValue?) -> Firstlight_V1_ControlResult {
    .with {
      $0.control = control
      switch outcome {
      case .success(let value):
        if let value { $0.value = value.proto }
        $0.outcome = isRounded(from: asked) ? .clamped : .set
      case .failure(let error):
        $0.error = error.status
        $0.outcome = error.reason == .controlWrongType ? .wrongType : .refused
      }
    }
  }
}
