"""Reader of OpenDSS scripts: parsed, never executed."""
