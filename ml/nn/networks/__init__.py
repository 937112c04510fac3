"""One network per file: the published baselines of LFGCN."""
