"""The linear system of the free variables of a machine, solved again and again as rows come and go.

A row that joins or leaves changes the inverse by a matrix of rank one, which costs m² steps where
a new solution costs m³.

References
----------
Cauwenberghs & Poggio (2001), Incremental and decremental support vector machine learning, NIPS 13.
"""

import numpy as np

from fsops.algorithms.base.types import Floats, Ints

UPDATES = 100  # after which the inverse is computed again: each leaves some rounding error
ROOM = 64  # rows that can join before memory must be found for more


class FreeRows:
    """Rows of a kernel matrix and the inverse of ``[[0, b], [b, K + ridge]]`` over them.

    Parameters
    ----------
    gram
        Symmetric kernel matrix of all rows.
    rows
        The rows to begin with.
    border
        What b is: any number of the size of the matrix.
    ridge
        Added to the diagonal.

    Raises
    ------
    numpy.linalg.LinAlgError
        If the matrix is singular in spite of the ridge.
    """

    def __init__(self, gram: Floats, rows: Ints, border: float, ridge: float) -> None:
        self.gram = gram
        self.border = border
        self.ridge = ridge
        self.rows = rows.copy()
        self.updates = 0
        self._memory = self._scratch = np.empty((0, 0))
        self.refresh()

    @property
    def inverse(self) -> Floats:
        """Inverse of the system; the first row and column belong to the border."""
        size = self.rows.size + 1
        return self._memory[:size, :size]

    def step(self, gradient: Floats) -> tuple[Floats, float]:
        """Move of the rows, of sum 0, after which their gradients are equal, and that gradient."""
        solved = self.inverse[:, 1:] @ gradient[self.rows]
        move = solved[1:]
        # The sum must be 0 whatever rounding error there is in the inverse.
        move -= move.sum() / max(1, move.size)
        return move, self.border * float(solved[0])

    def effect(self, move: Floats) -> Floats:
        """By how much a move of the rows lowers the gradient of every row."""
        lowered: Floats = move @ self.gram[self.rows]
        lowered[self.rows] += self.ridge * move
        return lowered

    def join(self, row: int) -> None:
        """Add a row."""
        column = self.gram[row, self.rows]
        inverse = self.inverse
        effect = inverse[:, 0] * self.border + inverse[:, 1:] @ column
        rest = self.gram[row, row] + self.ridge - self.border * effect[0] - column @ effect[1:]
        self.rows = np.concatenate([self.rows, [row]])
        self.updates += 1
        known = column.size and self.updates <= UPDATES and rest > self.ridge / 2
        if not known or self._is_full():
            self.refresh()
            return
        self._add(effect, 1.0 / rest, inverse)
        grown = self.inverse
        grown[-1, :-1] = grown[:-1, -1] = effect / -rest
        grown[-1, -1] = 1.0 / rest

    def leave(self, row: int) -> None:
        """Take a row out; the last one takes its place."""
        at = int((self.rows == row).argmax())
        inverse = self.inverse
        effect = inverse[at + 1].copy()
        self.updates += 1
        if self.updates > UPDATES or not effect[at + 1] > 0:
            self.rows = np.delete(self.rows, at)
            self.refresh()
            return
        self._add(effect, -1.0 / effect[at + 1], inverse)
        inverse[at + 1] = inverse[-1]
        inverse[:, at + 1] = inverse[:, -1]
        self.rows[at] = self.rows[-1]
        self.rows = self.rows[:-1]

    def refresh(self) -> None:
        """Compute the inverse again."""
        if self._is_full():
            self._memory, self._scratch = np.empty((2, *[self.rows.size + 1 + ROOM] * 2))
        self.updates = 0
        system = self.inverse
        system[0] = system[:, 0] = self.border
        system[0, 0] = 0.0
        system[1:, 1:] = self.gram[self.rows[:, None], self.rows]
        diagonal = np.arange(1, len(system))
        system[diagonal, diagonal] += self.ridge
        system[...] = np.linalg.inv(system) if self.rows.size else 0.0

    def _is_full(self) -> bool:
        return self.rows.size + 1 > len(self._memory)

    def _add(self, vector: Floats, factor: float, inverse: Floats) -> None:
        """Add a matrix of rank one, without asking for memory."""
        change = self._scratch[: len(inverse), : len(inverse)]
        np.multiply(vector[:, None], factor * vector, out=change)
        inverse += change
