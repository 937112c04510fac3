"""Label sets: the classes of the buses of a grid."""
