"""How far answers can be trusted: prediction sets, calibration, and the sample of the labels."""
