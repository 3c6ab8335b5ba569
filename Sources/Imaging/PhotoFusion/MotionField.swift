internal import CPhotoFusion
internal import CaptureCore

/// The position at which another frame shows each tile of the reference. The field owns its memory.
final class MotionField {
  let columns: Int
  let rows: Int
  private let vectors: UnsafeMutableBufferPointer<cfusion_vector>

  init(columns: Int, rows: Int) {
    (self.columns, self.rows) = (columns, rows)
    vectors = .allocate(capacity: columns * rows)
    vectors.initialize(repeating: cfusion_vector())
  }

  deinit { vectors.deallocate() }

  /// Creates a field of zero shifts, one for each tile that the fusion merges in a picture of `size`.
  convenience init(merging size: Size) {
    func count(_ length: Int) -> Int {
      let overlap = Int(CFUSION_TILE - CFUSION_STEP)
      return (length + overlap + Int(CFUSION_STEP) - 1) / Int(CFUSION_STEP)
    }
    self.init(columns: count(size.width), rows: count(size.height))
  }

  /// Creates a field of zero shifts, one for each tile that the search looks for. `plane` is the level of the pyramid
  /// that has these tiles.
  convenience init(searching plane: cfusion_plane) {
    let side = Int(CFUSION_SEARCH_TILE)
    self.init(columns: (Int(plane.width) + side - 1) / side, rows: (Int(plane.height) + side - 1) / side)
  }

  /// The field in the type that the C code takes. It is valid for as long as this object exists.
  var field: cfusion_field {
    cfusion_field(vectors: vectors.baseAddress!, columns: Int32(columns), rows: Int32(rows))
  }

  /// Aligns `other` to `reference`: the search goes through a pyramid of tiles from coarse to fine, and ends with
  /// fractions of a sample.
  ///
  /// The method is that of Hasinoff et al. 2016, section 4, except for the fractions of a sample. Least squares (Lucas
  /// and Kanade 1981) find these on the last two levels, instead of a parabola that is fitted to differences: least
  /// squares are as exact as the noise allows.
  convenience init(aligning other: PreparedFrame, to reference: PreparedFrame) {
    self.init(merging: reference.shape.size)
    let (luma, otherLuma) = (reference.planes.luma, other.planes.luma)
    // A picture that is too small for a pyramid is searched at its full size.
    let levels = reference.levels.isEmpty ? [luma] : reference.levels
    let otherLevels = other.levels.isEmpty ? [otherLuma] : other.levels
    var coarse: MotionField?
    for (plane, otherPlane) in zip(levels, otherLevels).reversed() {
      let found = MotionField(searching: plane)
      let top = coarse?.field ?? cfusion_field(vectors: found.field.vectors, columns: 0, rows: 0)
      withExtendedLifetime(coarse) { cfusion_search(plane, otherPlane, top, 4, found.field) }
      coarse = found
    }
    guard let coarse else { return }
    cfusion_refine_level(levels[0], otherLevels[0], coarse.field)
    withExtendedLifetime((reference, other, coarse)) {
      for row in 0..<rows {
        cfusion_refine(luma, otherLuma, coarse.field, reference.levels.isEmpty ? 1 : 2, Int32(row), field)
      }
    }
  }
}
