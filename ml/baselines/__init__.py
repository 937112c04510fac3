"""What LFGCN is compared with, one file a method.

A method trained by gradient descent is a module with ``build_network`` and ``make_views``
(``ml.methods``); any other is a module with ``classify(graph, split, settings, seed)``. Both
carry ``PUBLISHED``, the settings of their paper on the citation graphs.
"""
