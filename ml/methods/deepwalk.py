"""DeepWalk of Perozzi et al. (2014): walks, an embedding of them, logistic regression."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy.sparse as sp

from ml.arrays import FloatArray, IntArray, SparseMatrix
from ml.artifact.artifact import Tensors
from ml.config.field import setting
from ml.config.settings import MethodSettings
from ml.graph.graph import Graph
from ml.graph.laplacian import degrees_of
from ml.graph.split import Split
from ml.methods.base import Method


@dataclass(frozen=True, kw_only=True)
class DeepWalkSettings(MethodSettings):
    """The walks and the size of their embedding."""

    method: ClassVar[str] = "deepwalk"

    walks: int = setting(20, "Walks per node.", "[1, 1000]")
    length: int = setting(40, "Nodes per walk.", "[2, 1000]")
    window: int = setting(5, "Nodes on a walk that count as neighbours.", "[1, 100]")
    size: int = setting(64, "Dimensions of the embedding.", "[1, 1024]")


def fit(graph: Graph, split: Split, settings: DeepWalkSettings) -> tuple[FloatArray, Tensors]:
    """Embed the nodes by their walks and classify the embedding.

    Equation: Perozzi et al. (2014), Algorithm 1, with one-against-rest replaced by
        multinomial logistic regression.
    Deviation: the skip-gram objective is maximised in closed form, as the truncated SVD of
        the positive pointwise mutual information (Levy and Goldberg 2014, Qiu et al. 2018).
        Features are not used, as in the paper.
    Shapes: (N, K), rows sum to one.
    """
    # Imported late: scikit-learn takes a second, and the service lists methods without it.
    from sklearn.utils.extmath import randomized_svd

    generator = np.random.default_rng(settings.seed)
    walks = random_walks(graph.adjacency, settings.walks, settings.length, generator)
    information = mutual_information(walks, graph.node_count, settings.window)
    size = min(settings.size, graph.node_count - 1)
    left, values, _ = randomized_svd(information, n_components=size, random_state=settings.seed)
    embedding = left * np.sqrt(values)
    scale = np.maximum(np.linalg.norm(embedding, axis=1, keepdims=True), 1e-12)
    return _regress(embedding / scale, graph, split), {}


def random_walks(
    adjacency: SparseMatrix, rounds: int, length: int, generator: np.random.Generator
) -> IntArray:
    """Walk from every node ``rounds`` times; a walker on an isolated node stays.

    Deviation: steps are uniform over the neighbours, regardless of the weights.
    Shapes: (rounds * N, length).
    """
    count = adjacency.shape[0]
    degrees = np.diff(adjacency.indptr).astype(np.int64)
    here = np.tile(np.arange(count), rounds)
    walks = [here]
    for draw in generator.random((length - 1, len(here))):
        place = adjacency.indptr[here] + (draw * degrees[here]).astype(np.int64)
        ahead = adjacency.indices[np.minimum(place, adjacency.nnz - 1)]
        here = np.where(degrees[here] > 0, ahead, here).astype(np.int64)
        walks.append(here)
    return np.stack(walks, axis=1)


def mutual_information(walks: IntArray, node_count: int, window: int) -> SparseMatrix:
    """Count which nodes meet within a window, and compare with chance.

    Equation: Levy and Goldberg (2014), ``max(0, log(#(i,j) |D| / (#(i) #(j))))``.
    Shapes: (W, length) -> (N, N) sparse, symmetric.
    """
    total = sp.csr_array((node_count, node_count))
    for gap in range(1, window + 1):
        sources, targets = walks[:, :-gap].ravel(), walks[:, gap:].ravel()
        ones = np.ones(len(sources))
        total = total + sp.coo_array((ones, (sources, targets)), shape=total.shape).tocsr()
    meetings = (total + total.T).tocoo()
    often = degrees_of(sp.csr_array(meetings))
    chance = often[meetings.row] * often[meetings.col] / often.sum()
    values = np.maximum(np.log(meetings.data / chance), 0)
    information = sp.csr_array((values, (meetings.row, meetings.col)), shape=total.shape)
    information.eliminate_zeros()
    return information


def _regress(embedding: FloatArray, graph: Graph, split: Split) -> FloatArray:
    labels = graph.labels[split.train]
    probabilities = np.zeros((graph.node_count, graph.class_count))
    if len(np.unique(labels)) == 1:
        probabilities[:, labels[0]] = 1
        return probabilities
    from sklearn.linear_model import LogisticRegression

    regression = LogisticRegression(C=10.0, max_iter=2000)
    regression.fit(embedding[split.train], labels)
    probabilities[:, regression.classes_] = regression.predict_proba(embedding)
    return probabilities


METHOD = Method(
    key="deepwalk",
    title="DeepWalk",
    description="embedding of random walks, classified by logistic regression (DeepWalk)",
    settings=DeepWalkSettings,
    published={"walks": 20, "length": 40, "window": 5, "size": 64},
    fit=fit,
    offered=False,
)
