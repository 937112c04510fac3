"""Threads, compiled code, memory and child processes."""
