"""Generated messages and stubs of `firstlight.v1`; see `proto/firstlight/v1`."""
