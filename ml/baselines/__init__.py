"""The networks LFGCN is compared with, one file a method."""
