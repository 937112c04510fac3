"""Reader of pandapower networks in JSON form."""
