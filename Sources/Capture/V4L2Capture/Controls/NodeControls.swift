internal import CV4L2
internal import CaptureCore
internal import Glibc

/// The controls of an open node. The calls block while the camera answers.
struct NodeControls {
  let node: VideoNode
  let deviceID: String

  /// An enumeration ends after this many controls, and a menu after one item more. Some drivers never end an
  /// enumeration; no real device comes near this number.
  private static let limit = 1024

  /// Every control with its menu and its present value, in the driver's order. A control that cannot be read now has no
  /// value.
  ///
  /// - Throws: `deviceNotResponding` at the first call that times out. The calls for the other controls would time out
  ///   too, and each of them takes seconds.
  func list() throws(CaptureError) -> [Control] {
    var list: [Control] = []
    for found in try enumerate() {
      var control = withMenu(found.control)
      if found.isReadable {
        do { control.value = try read(found) } catch {
          if error.isTimeout { throw notResponding(error) }
        }
      }
      list.append(control)
    }
    return list
  }

  /// Sets one control after the other, each by a call of its own, so that each setting has a result of its own. When
  /// one call times out, the method asks the camera for no other control, and the remaining settings of the camera's
  /// own controls fail with the same error.
  ///
  /// - Parameter elsewhere: sets a control that does not belong to the node; returns nil for a control that does.
  func set(
    _ settings: [ControlSetting], elsewhere: (ControlSetting) -> ControlResult? = { _ in nil }
  ) -> [ControlResult] {
    let known = Result { () throws(CaptureError) in
      Dictionary(try enumerate().map { ($0.control.id, $0) }, uniquingKeysWith: { first, _ in first })
    }
    var silence: CaptureError?
    return settings.map { setting in
      if let result = elsewhere(setting) { return result }
      let outcome = Result { () throws(CaptureError) -> ControlValue? in
        if let silence { throw silence }
        guard let found = try known.get()[setting.control] else {
          // The control is missing from the list also when the device is gone, because such a device lists no controls.
          throw node.isPresent
            ? .notFound(control: setting.control, device: deviceID)
            : .endOfStream(
              VideoNodeError(call: VideoRequest.queryExtendedControl.name, errno: Errno(ENODEV)), device: deviceID,
              isPresent: false)
        }
        return try set(found, to: setting.value, &silence)
      }
      return ControlResult(control: setting.control, outcome: outcome)
    }
  }

  /// - Parameter silence: the method stores its error here when the camera did not answer.
  private func set(
    _ known: DriverControl, to value: ControlValue?, _ silence: inout CaptureError?
  ) throws(CaptureError) -> ControlValue? {
    // The driver is asked for the control again, because the setting before this one may have changed the range or the
    // flags.
    var found =
      try failing(known, &silence) { () throws(VideoNodeError) in try node.query(known.control.v4l2ID) } ?? known
    found.control.id = known.control.id
    let control = withMenu(found.control)
    try control.checkSettable(on: deviceID)
    let wanted =
      if let value { value } else {
        try failing(found, &silence) { () throws(VideoNodeError) in try defaultValue(found) }
      }
    let checked = try control.checked(wanted, on: deviceID)
    return try failing(found, &silence) { () throws(VideoNodeError) in
      try write(checked, to: found)
      // The new value may have changed the length of an array, so the driver is asked for the payload size again.
      return found.isReadable ? try read(try node.query(control.v4l2ID) ?? found) : nil
    }
  }

  /// Runs `body`, and turns its error into the error of setting the control. When the call timed out, the error is also
  /// stored in `silence`.
  private func failing<R>(
    _ found: DriverControl, _ silence: inout CaptureError?, _ body: () throws(VideoNodeError) -> R
  ) throws(CaptureError) -> R {
    do { return try body() } catch {
      let failure = CaptureError.failedControl(error, found.control, device: deviceID, isPresent: node.isPresent)
      if error.isTimeout { silence = failure }
      throw failure
    }
  }

  // MARK: - Single calls

  /// All controls of the node, each with an id of its own: when a driver has two controls named "Gain", the second
  /// one's id is `gain_2`.
  ///
  /// - Throws: `deviceNotResponding` when a call times out.
  private func enumerate() throws(CaptureError) -> [DriverControl] {
    var found: [DriverControl] = []
    var uses: [String: Int] = [:]
    var id: UInt32 = 0
    for _ in 0..<Self.limit {
      var query = v4l2_query_ext_ctrl()
      query.id = id | V4L2_CTRL_FLAG_NEXT_CTRL | UInt32(V4L2_CTRL_FLAG_NEXT_COMPOUND)
      do { try node.perform(.queryExtendedControl, &query) } catch {
        if error.isTimeout { throw notResponding(error) }
        break
      }
      guard query.id > id else { break }
      id = query.id
      guard var control = DriverControl(query) else { continue }
      let count = uses[control.control.id, default: 0] + 1
      uses[control.control.id] = count
      if count > 1 { control.control.id += "_\(count)" }
      found.append(control)
    }
    return found
  }

  private func notResponding(_ error: VideoNodeError) -> CaptureError {
    .failedCall(error, device: deviceID, isPresent: true)
  }

  /// `control` with the items of its menu, if it has one.
  private func withMenu(_ control: Control) -> Control {
    guard control.kind == .menu || control.kind == .integerMenu,
      (0...Int64(UInt32.max)).contains(control.range.minimum),
      control.range.minimum <= control.range.maximum
    else { return control }
    var control = control
    for index in control.range.minimum...min(control.range.maximum, control.range.minimum + Int64(Self.limit)) {
      var item = v4l2_querymenu()
      item.id = control.v4l2ID
      item.index = UInt32(truncatingIfNeeded: index)
      // The driver refuses the index of a menu item that this camera does not have.
      do { try node.perform(.queryMenu, &item) } catch { continue }
      control.menuItems.append(
        control.kind == .menu
          ? Control.MenuItem(index: index, label: String(fixedArray: item.name))
          : Control.MenuItem(index: index, value: item.value))
    }
    return control
  }

  private func read(
    _ found: DriverControl, which: Int32 = V4L2_CTRL_WHICH_CUR_VAL
  ) throws(VideoNodeError) -> ControlValue {
    guard let size = found.payloadSize else {
      var payload: [UInt8] = []
      return found.value(try exchange(.getExtendedControls, found, which: which, &payload))
    }
    var payload = [UInt8](repeating: 0, count: max(size, found.largestPayload))
    let used = try exchange(.getExtendedControls, found, which: which, &payload).size
    return found.value(Array(payload.prefix(min(Int(used), found.control.kind == .string ? payload.count : size))))
  }

  /// The default value. A driver gives the default of a payload only as a value of its own (`V4L2_CTRL_WHICH_DEF_VAL`),
  /// not in the description of the control.
  private func defaultValue(_ found: DriverControl) throws(VideoNodeError) -> ControlValue {
    found.payloadSize == nil
      ? .integer(found.control.defaultValue) : try read(found, which: V4L2_CTRL_WHICH_DEF_VAL)
  }

  private func write(_ value: ControlValue, to found: DriverControl) throws(VideoNodeError) {
    var payload = found.payload(value) ?? []
    _ = try exchange(.setExtendedControls, found, which: V4L2_CTRL_WHICH_CUR_VAL, &payload, value)
  }

  /// Reads or sets one control by one call. For a control with payload, the driver reads and writes `payload` during
  /// the call.
  private func exchange(
    _ request: VideoRequest, _ found: DriverControl, which: Int32, _ payload: inout [UInt8],
    _ value: ControlValue? = nil
  ) throws(VideoNodeError) -> v4l2_ext_control {
    var raw = v4l2_ext_control()
    raw.id = found.control.v4l2ID
    switch value {
    case .integer(let number) where found.control.kind == .integer64: raw.value64 = number
    case .integer(let number): raw.value = Int32(truncatingIfNeeded: number)
    case .boolean(let isOn): raw.value = isOn ? 1 : 0
    case .text, .elements, nil: break
    }
    var failure: VideoNodeError?
    payload.withUnsafeMutableBytes { bytes in
      if found.payloadSize != nil {
        raw.size = UInt32(bytes.count)
        raw.ptr = bytes.baseAddress
      }
      withUnsafeMutablePointer(to: &raw) { pointer in
        var controls = v4l2_ext_controls()
        controls.which = UInt32(bitPattern: which)
        controls.count = 1
        controls.controls = pointer
        do throws(VideoNodeError) { try node.perform(request, &controls) } catch { failure = error }
      }
    }
    if let failure { throw failure }
    return raw
  }
}
