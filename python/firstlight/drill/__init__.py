"""The faults and drills of the package `firstlight.drill`, for tests. They are not part of the promised contract."""
