"""Sparse rational solver behind the Lévy operators of large graphs.

``L^g`` is a sum of sparse solves, one per pole (``poles``, ``powers``). P-DropEdge removes a few
edges in every epoch; the operator of such a censored graph is computed in one of three ways::

    censored graph, gamma < 1, sparse factors smaller than a full matrix
      |
      |-- operator "auto", up to 3,500 nodes, no dense core, 1 to 24 edges removed?
      |     |
      |     yes: poles still reach the spectrum? (inertia of k x k matrices)
      |            yes: (1) LOW-RANK CORRECTION, low_rank.LowRankPowers.correct
      |                     up to 600 nodes added to the full matrix: DenseLevyOperator
      |                     beyond: full matrix and rows beside it: CorrectedLevyOperator
      |            no:  continue
      |
      |-- operator "auto", up to 600 nodes?
      |     yes: not corrected; a new spectrum: DenseLevyOperator
      |
      |-- factors with a dense core? (more than 10 million products without one)
      |     |
      |     yes: poles still reach the spectrum?
      |            yes: (2) CORRECTION WITHIN THE CORE, core_factors.CoreFactors.censor
      |            no:  continue
      |
      '-- (3) NEW FACTORS on the same pattern, powers.GraphPowers.censored
              poles still reach the spectrum? (pivots of one more shift)
                yes: done;  no: poles fitted anew, factored again
              both (2) and (3): SparseLevyOperator

At gamma = 1, with ``operator="dense"``, and where sparse factors would be larger than a full
matrix, nothing is shared between graphs: every censored operator is computed from its adjacency
(``ml.levy.build``). ``ml.levy.limits`` lists the limits with their measurements.
"""
