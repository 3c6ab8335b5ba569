import CV4L2
import Glibc

@testable import V4L2Capture

/// A control of the fake kernel, with the same checks as in the control framework of the real kernel.
struct FakeControl: Sendable {
  var query = v4l2_query_ext_ctrl()
  var menu: [UInt32: (label: String, value: Int64)] = [:]
  /// The present value, in as many bytes as its type has.
  var bytes: [UInt8]
  /// The default value of a control for which ``query`` says that it has a payload. VIDIOC_G_EXT_CTRLS gives this value
  /// for `V4L2_CTRL_WHICH_DEF_VAL`.
  var defaultBytes: [UInt8] = []
  /// The id of the control that is inactive while this control is 0; nil when this control governs no other.
  var governs: UInt32?

  init(
    _ id: UInt32, _ name: String, _ type: v4l2_ctrl_type, _ range: ClosedRange<Int64> = 0...1, step: UInt64 = 1,
    default standard: Int64 = 0, flags: Int32 = 0, bytes: [UInt8]? = nil, elementSize: UInt32 = 4,
    dimensions: [UInt32] = []
  ) {
    (query.id, query.type, query.minimum, query.maximum) = (id, type.rawValue, range.lowerBound, range.upperBound)
    (query.step, query.default_value, query.flags) = (step, standard, UInt32(bitPattern: flags))
    withUnsafeMutableBytes(of: &query.name) { $0.copyBytes(from: name.utf8) }
    query.elem_size = elementSize
    query.elems = dimensions.reduce(1, &*)
    query.nr_of_dims = UInt32(dimensions.count)
    withUnsafeMutableBytes(of: &query.dims) { memory in
      for (index, size) in dimensions.enumerated() {
        memory.storeBytes(of: size, toByteOffset: 4 * index, as: UInt32.self)
      }
    }
    self.bytes = bytes ?? withUnsafeBytes(of: standard.littleEndian) { Array($0.prefix(Int(elementSize))) }
  }

  func has(_ flag: Int32) -> Bool { query.flags & UInt32(bitPattern: flag) != 0 }

  mutating func set(_ flag: Int32, _ isSet: Bool) {
    if isSet { query.flags |= UInt32(bitPattern: flag) } else { query.flags &= ~UInt32(bitPattern: flag) }
  }

  var hasPayload: Bool { has(V4L2_CTRL_FLAG_HAS_PAYLOAD) }

  /// Copies the value, or the default, into the caller's memory. Returns the errno, or nil on success.
  func read(into control: UnsafeMutablePointer<v4l2_ext_control>, isDefault: Bool) -> Int32? {
    if has(V4L2_CTRL_FLAG_WRITE_ONLY) { return EACCES }
    let value = isDefault ? defaultBytes : bytes
    if hasPayload {
      guard Int(control.pointee.size) >= value.count else {
        control.pointee.size = UInt32(value.count)
        return ENOSPC
      }
      control.pointee.ptr.copyMemory(from: value, byteCount: value.count)
      control.pointee.size = UInt32(value.count)
    } else {
      var wide: Int64 = 0
      withUnsafeMutableBytes(of: &wide) { $0.copyBytes(from: value) }
      control.pointee.value64 = wide
    }
    return nil
  }

  /// Takes the value from the caller's memory; integers are clamped and rounded to a step, as in the kernel. Returns
  /// the errno, or nil on success.
  mutating func write(from control: v4l2_ext_control) -> Int32? {
    if has(V4L2_CTRL_FLAG_READ_ONLY) { return EACCES }
    if has(V4L2_CTRL_FLAG_GRABBED) { return EBUSY }
    if hasPayload {
      bytes = Array(UnsafeRawBufferPointer(start: control.ptr, count: Int(control.size)))
      if has(V4L2_CTRL_FLAG_DYNAMIC_ARRAY) { query.elems = control.size / query.elem_size }
      return nil
    }
    if query.type == V4L2_CTRL_TYPE_INTEGER64.rawValue {
      bytes = withUnsafeBytes(of: control.value64) { Array($0) }
      return nil
    }
    var value = Int64(control.value)
    if query.type == V4L2_CTRL_TYPE_INTEGER.rawValue {
      let step = Int64(query.step)
      value = query.minimum + (min(max(value, query.minimum), query.maximum) - query.minimum + step / 2) / step * step
    }
    bytes = withUnsafeBytes(of: Int32(truncatingIfNeeded: value)) { Array($0) }
    return nil
  }
}

extension [FakeControl] {
  /// Answers the ioctls for controls. Returns the errno, or nil on success.
  mutating func answer(_ name: String, _ argument: UnsafeMutableRawPointer) -> Int32? {
    switch name {
    case "VIDIOC_QUERY_EXT_CTRL":
      let query = argument.assumingMemoryBound(to: v4l2_query_ext_ctrl.self)
      let next = V4L2_CTRL_FLAG_NEXT_CTRL | UInt32(V4L2_CTRL_FLAG_NEXT_COMPOUND)
      let id = query.pointee.id & ~next
      let isNext = query.pointee.id & next != 0
      guard let found = first(where: { isNext ? $0.query.id > id : $0.query.id == id }) else { return EINVAL }
      query.pointee = found.query
    case "VIDIOC_QUERYMENU":
      let item = argument.assumingMemoryBound(to: v4l2_querymenu.self)
      guard let control = first(where: { $0.query.id == item.pointee.id }),
        let found = control.menu[item.pointee.index]
      else { return EINVAL }
      if control.query.type == V4L2_CTRL_TYPE_INTEGER_MENU.rawValue {
        item.pointee.value = found.value
      } else {
        Swift.withUnsafeMutableBytes(of: &item.pointee.name) { $0.copyBytes(from: found.label.utf8) }
      }
    default:
      let all = argument.assumingMemoryBound(to: v4l2_ext_controls.self)
      guard all.pointee.count == 1, let control = all.pointee.controls,
        let index = firstIndex(where: { $0.query.id == control.pointee.id })
      else { return EINVAL }
      if name == "VIDIOC_G_EXT_CTRLS" {
        return self[index].read(into: control, isDefault: all.pointee.which == UInt32(V4L2_CTRL_WHICH_DEF_VAL))
      }
      if let refusal = self[index].write(from: control.pointee) { return refusal }
      if let governed = self[index].governs, let other = firstIndex(where: { $0.query.id == governed }) {
        self[other].set(V4L2_CTRL_FLAG_INACTIVE, control.pointee.value == 0)
      }
    }
    return nil
  }
}
