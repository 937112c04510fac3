"""Power tables, power-flow cases and the AC power flow."""
