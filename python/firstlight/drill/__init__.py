"""Faults and drills, for tests: the package `firstlight.drill`, which is not part of what is promised."""
