"""Power tables and power flow."""
