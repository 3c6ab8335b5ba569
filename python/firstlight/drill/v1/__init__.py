"""The messages and stubs of `firstlight.drill.v1`, generated from `proto/firstlight/drill/v1`."""
