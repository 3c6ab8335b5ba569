"""The messages and stubs of `firstlight.v1`, generated from `proto/firstlight/v1`."""
