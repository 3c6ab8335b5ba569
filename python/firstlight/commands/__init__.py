"""The commands of the program `firstlight`. Each module adds its commands to the command line by `add`."""
