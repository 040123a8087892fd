"""The command line `deniable`."""
