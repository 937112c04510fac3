"""Array types shared by the numerical code."""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
SparseMatrix: TypeAlias = sp.csr_array[np.float64]
