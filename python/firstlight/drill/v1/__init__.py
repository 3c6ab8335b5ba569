"""Generated messages and stubs of `firstlight.drill.v1`; see `proto/firstlight/drill/v1`."""
