"""Search for attributes that are made of others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NamedTuple, Unpack

import numpy as np
from pydantic import Field

from fsops.algorithms.base.types import Floats
from fsops.algorithms.search.construction import ConstructedColumns, Generating
from fsops.algorithms.search.evolution import evolve
from fsops.algorithms.search.stopping import Stopping
from fsops.algorithms.search.subsets import Subset
from fsops.core import Accepts, Aliases, Context, Named, When, operator
from fsops.data import (
    AttributeWeights,
    ExampleSet,
    ExampleSetMetaData,
    FlowObject,
    MetaData,
    PerformanceVector,
    WeightsMetaData,
)
from fsops.data.expression import Expression
from fsops.data.schema import MUST_KEEP
from fsops.operators.search.candidates import (
    GROUP,
    LOG,
    PORTS,
    Candidates,
    Evaluation,
    Through,
)
from fsops.operators.search.evolutionary import (
    CrossoverType,
    Evolution,
    criteria_of,
    evaluations,
    settings_of,
)
from fsops.operators.search.stopping import may_stop, stopping_of

BETWEEN = "\x1f"
"""Between the attributes of a candidate."""
MOST_NEW = 20_000


class Constructed(NamedTuple):
    """Results of a search with new attributes."""

    examples: Annotated[ExampleSet, Named(description="The best attributes, new ones included.")]
    weights: Annotated[
        AttributeWeights, Named(description="1 for each of these attributes.", changed=True)
    ]
    performance: Annotated[PerformanceVector, Named(description="Of the best attributes.")]
    log: Annotated[
        ExampleSet,
        Named(
            description="The best performance of each generation, and the number of candidates "
            "tried."
        ),
    ]


def constructed_table(examples: ExampleSet, candidate: str) -> ExampleSet:
    """Return the table with the attributes of a candidate: those it has, and new ones."""
    wanted = candidate.split(BETWEEN)
    known = [name for name in wanted if name in examples.schema]
    new = [name for name in wanted if name not in examples.schema]
    made = [Expression.parse(text).column(text, examples) for text in new]
    return examples.select_regular(known).with_columns(
        [(attribute, np.asarray(values)) for attribute, values in made]
    )


class _Constructions(Candidates[str]):
    """Candidates that are original and constructed attributes."""

    def __init__(
        self,
        examples: ExampleSet,
        evaluation: Evaluation,
        through: Sequence[FlowObject],
        columns: ConstructedColumns,
        ctx: Context,
        *,
        stopping: Stopping,
    ) -> None:
        super().__init__(
            examples, evaluation, through, table=constructed_table, ctx=ctx, stopping=stopping
        )
        self.columns = columns
        self._originals = [*examples.schema.regular_names]
        self._kept = np.isin(examples.schema.regular, examples.schema.marked(MUST_KEEP))
        self._subsets: dict[str, Subset] = {}

    def candidate(self, row: Floats) -> str:
        """Return the candidate of an individual."""
        used = row != 0
        used[: len(self._kept)] |= self._kept
        subset = tuple(np.flatnonzero(used).tolist())
        name = BETWEEN.join(self._texts(subset))
        self._subsets[name] = subset
        return name

    def subset(self, candidate: str) -> Subset:
        """Return the places of the attributes of a candidate."""
        return self._subsets[candidate]

    def _texts(self, subset: Subset) -> list[str]:
        count = len(self._originals)
        return [self._originals[i] if i < count else self.columns.texts[i] for i in subset]


def _describe(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> dict[str, MetaData]:
    meta = inputs.get("examples")
    rows = meta.rows if isinstance(meta, ExampleSetMetaData) else None
    return {
        "examples": ExampleSetMetaData(rows=rows),
        "weights": WeightsMetaData(),
        "log": ExampleSetMetaData(schema=LOG),
    }


@operator(
    group=GROUP,
    role="search",
    accepts=Accepts(attributes="numerical"),
    describe=_describe,
    aliases=Aliases(
        keys=("YAGGA",),
        ports={
            **PORTS,
            "attribute weights out": "weights",
            "performance out": "performance",
            "example set source": "examples",
            "performance sink": "performance",
        },
    ),
    tags=("yagga", "feature construction", "feature generation", "genetic programming", "wrapper"),
    random=True,
    iterations=may_stop(evaluations),
)
def optimize_by_generation_yagga(
    examples: ExampleSet,
    evaluation: Evaluation,
    through: Through = [],
    *,
    use_plus: Annotated[bool, Field(description="Add two attributes.")] = True,
    use_diff: Annotated[bool, Field(description="Subtract two attributes.")] = False,
    use_mult: Annotated[bool, Field(description="Multiply two attributes.")] = True,
    use_div: Annotated[bool, Field(description="Divide two attributes.")] = False,
    reciprocal_value: Annotated[bool, Field(description="Divide 1 by an attribute.")] = True,
    initial_probability: Annotated[
        float, Field(ge=0, le=1, description="Probability of each attribute in the first sets.")
    ] = 0.5,
    use_heuristic_mutation_probability: Annotated[
        bool, Field(description="Use 1 / number of attributes as mutation probability.")
    ] = True,
    mutation_probability: Annotated[
        float,
        When(use_heuristic_mutation_probability=False),
        Field(ge=0, le=1, description="Mutation probability; a quarter of it per kind of change."),
    ] = 0.5,
    crossover_probability: Annotated[
        float, Field(ge=0, le=1, description="Probability that a pair has children.")
    ] = 0.5,
    crossover_type: CrossoverType = "uniform",
    limit_attributes: Annotated[
        bool, Field(description="Limit the number of attributes of a set.")
    ] = False,
    max_attributes: Annotated[
        int,
        When(limit_attributes=True),
        Field(ge=1, description="Number of attributes beyond which no attribute is added."),
    ] = 1,
    ctx: Context,
    **others: Unpack[Evolution],
) -> Constructed:
    """Optimize by Generation (YAGGA)

    Selects attributes and makes new ones of them, such as (a1 * a2), by evolution: sets of
    attributes are crossed, and a mutation adds an attribute, combines two that are in use, or
    removes some. The inner process evaluates each set. Use it if the learner, such as Linear
    Regression, cannot find products or ratios itself.

    New attributes are named by their formula. Write Constructions stores the formulas; Read
    Constructions or Generate Attributes computes them for other rows. Formulas that are not finite
    in some row are not used.

    The performance of the result is optimistic, because the search chose the best of many: put the
    search itself inside a validation. The more attributes there are, the more of their products fit
    noise.

    References
    ----------
    Ritthoff, Klinkenberg, Fischer, Mierswa (2002): A hybrid approach to feature selection and
    generation using an evolutionary algorithm. UKCI, 147–154.
    """
    signs = [
        sign
        for sign, used in (
            ("+", use_plus),
            ("-", use_diff),
            ("*", use_mult),
            ("/", use_div),
            ("1/", reciprocal_value),
        )
        if used
    ]
    size, generations = others["population_size"], others["max_generations"]
    names = [*examples.schema.regular_names]
    columns = ConstructedColumns.of(
        examples.numeric(), names, min(MOST_NEW, 3 * size * generations) if signs else 0
    )
    most = max_attributes if limit_attributes else None
    mutate = Generating(
        columns, signs, None if use_heuristic_mutation_probability else mutation_probability, most
    )
    candidates = _Constructions(
        examples, evaluation, through, columns, ctx, stopping=stopping_of(others)
    )
    settings = settings_of(others, candidates, crossover_probability, crossover_type)
    rng = ctx.rng("evolution")
    first = np.zeros((size, columns.width))
    first[:, : len(names)] = rng.random((size, len(names))) < initial_probability

    def evaluate(population: Floats) -> Floats:
        found = candidates.performances([candidates.candidate(row) for row in population])
        return criteria_of(found, settings.selection_scheme)

    candidates.until_stopped(
        lambda: evolve(evaluate, mutate.repaired(first, rng), mutate, settings, rng)
    )
    best, performance = candidates.best()
    table = constructed_table(examples, best)
    weights = table.weights(np.ones(len(table.schema.regular)))
    return Constructed(table, weights, performance, candidates.log())
