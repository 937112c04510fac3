"""Size limits that choose between implementations, each with the measurement behind it.

Every limit that decides by size stands here and nowhere else. Unless stated otherwise the
times are the best of seven runs in milliseconds on one core of a 2020s server, gamma 0.1, graphs
as sparse as power grids (``tests.ml.grids.grid_like``), signals of 12 columns.
"""

# Operator: full matrix or sparse factors.

SPECTRUM_NODES = 600
"""Largest graph whose power ``L^g`` comes from its whole spectrum, exact to round-off.

Measured, spectrum against columns of sparse factors: 300 nodes 11 and 13 ms, 600 nodes 57 and
42 ms, 1,200 nodes 354 and 179 ms. Up to 600 nodes the exact way costs hardly more.
"""

MATRIX_NODES = 3_500
"""Largest graph whose operator is a full matrix with low-rank corrections for censored graphs.

Measured, one filtering by a stored matrix against sparse solves: 2,000 nodes 1.6 and 5.2 ms,
3,500 nodes 7.4 and 11.5 ms, 6,000 nodes 27.6 and 18.9 ms. The corrections of P-DropEdge add up
to half of the matrix product, hence the limit lies below the break-even of about 4,500.
"""

FACTORED_SYSTEMS = 18
"""Shifted systems that the sparse factors of one power hold: its poles and the bound.

Measured at gamma 0.1, poles of the whole and of a censored graph: 118 buses 9 and 10, 2,000
buses 12 and 13, 82,000 buses 16 and 17; gamma 0.9 needs 7 to 12.
"""

DENSE_COPIES = 6
"""Full matrices in double precision that are in memory at once while a dense operator is built.

Measured: the peak of ``DenseLevyOperator`` at 2,500 nodes is 5.1 matrices (the Laplacian, its
eigenvectors, the work space of LAPACK, the power); the filter is the sixth.
"""

# Torch filter: stored as a matrix, or computed in every epoch.

STORED_FILTER_NODES = 4_096
"""Largest graph whose whole-graph filter is stored as a matrix although the operator is not.

Measured as for ``MATRIX_NODES``: at 4,096 nodes 8.5 ms against 10.2 ms. Higher than that limit,
because the filter of the whole graph needs no correction and a matrix serves every Taylor order.
"""

STORED_WALK_NODES = 1_000
"""The same limit for gamma = 1, whose operator is as sparse as the graph.

Measured at Taylor order 1, at a tenth of the nodes, matrix against sparse product: 500 nodes
0.04 and 0.03 ms, 1,000 nodes 0.08 and 0.04 ms, 2,000 nodes 0.21 and 0.04 ms. Each further order
adds a sparse product, none to the matrix.
"""

KEPT_FILTER_BYTES = 256 * 2**20
"""Memory for the filters of censored graphs before the least recently used is dropped.

Holds 4,800 filters of 118 buses, more than an IEEE 118 run draws, and 16 of 2,000 buses.
"""

# Censored graphs: P-DropEdge and DropEdge.

LOW_RANK_EDGES = 24
"""Most edges for which a low-rank correction, quadratic in their number, is computed.

Measured at 2,000 nodes with solutions at hand: 1 edge 0.3 ms, 8 edges 1.4 ms, 24 edges 3.9 ms,
48 edges 9.4 ms; new factors of ACTIVSg2000 16 ms. P-DropEdge drops 8 edges of 2,000 buses. Beyond
24 edges the rank, 14 per edge, nears a fifth of the nodes, and every filtering pays for it.
"""

KEPT_SOLUTION_BYTES = 128 * 2**20
"""Memory for the solutions of edges that were censored before, which P-DropEdge repeats.

Holds 600 edges of 2,000 buses at 13 poles; 160 are candidates there.
"""

LOOKAHEAD_NODES = 1_000
"""Smallest graph whose next censored view is prepared by another thread.

Measured: handing work to a thread takes 0.02 ms, a view of 1,000 or 2,000 nodes 0.7 ms. Below,
few distinct views exist and most are found in the cache.
"""

# Sparse factors.

CORE_PRODUCTS = 10_000_000
"""Products of a factorisation from which a dense core is sought.

Measured: ACTIVSg2000 takes 0.07 million, SyntheticUSA 3.5 million, PubMed 421 million without a
core and 4 million around one of 1,728 nodes (decision 8).
"""

THREAD_PRODUCTS = 4_000_000
"""Products of a factorisation or a solve from which it is shared between threads.

Measured: SyntheticUSA's 3.5 million products take 7.6 ms per shift (decision 8), handing work to
another thread 0.02 ms on an idle machine and several milliseconds on a busy one.
"""

NARROW_SOLVE_NODES = 4_000
"""Largest graph whose censored edges are solved four at a time in one thread, not 16 in several.

Measured, blocks of 4 against blocks of 16: one edge of ACTIVSg2000 3.2 and 7.6 ms, eight edges
10.3 and 9.6 ms.
"""

# Features.

WIDE_COLUMNS = 256
"""Feature columns from which a matrix may be sparse and LFGCN+ keeps labels out of the features.

Bag-of-words features have 500 to 3,703 columns, power grids fewer than 20.
"""
