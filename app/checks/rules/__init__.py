"""The rules, by subject; every module has a tuple ``RULES``."""
