"""Measures whether prediction sets and probabilities of the default model keep their promise."""
