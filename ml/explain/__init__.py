"""Why a stored model answers as it does: contributions of labels, nodes and columns."""
