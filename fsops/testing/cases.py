"""Arguments of an operator in a test: inputs for its ports, values for its parameters."""

from __future__ import annotations

import atexit
import contextlib
import itertools
import shutil
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

import numpy as np

from fsops.core import Context, Operator, Port, Process, Registry, operator_of
from fsops.core.declare.parameters import Parameter
from fsops.data import Collection, ExampleSet, FlowObject
from fsops.errors import DataError, FsopsError
from fsops.plugins import plugins
from fsops.storage.anndata_file import write_anndata_table
from fsops.storage.arff import write_arff_table
from fsops.storage.constructions_file import write_constructions_file
from fsops.storage.coordinates import write_coordinates_table
from fsops.storage.excel import write_excel_table
from fsops.storage.svmlight import write_svmlight_table
from fsops.storage.weights_file import write_weights_file
from fsops.testing.data import AttributeKind, LabelType, sound_table, with_prediction
from fsops.testing.stand_ins import (
    NUMBER_OF_SEVERAL,
    StandIn,
    as_operator,
    make_collection,
    make_value,
    stand_in_weights,
)

LABELS: Mapping[str, tuple[LabelType | None, ...]] = {
    "none": ("binominal", "polynominal", "numerical", None),
    "any": ("binominal", "polynominal", "numerical"),
    "nominal": ("binominal", "polynominal"),
    "binominal": ("binominal",),
    "numerical": ("numerical",),
}
ATTRIBUTES: Mapping[str, tuple[AttributeKind, ...]] = {
    "numerical": ("numerical",),
    "nominal": ("nominal",),
}
ALL_ATTRIBUTES: tuple[AttributeKind, ...] = ("any", "numerical", "nominal")
ROWS = 24  # few: a contract is about what happens, not about good results
"""Files that can be generated, with the separator of their columns."""


class CannotMakeUp(AssertionError):
    """There is no way to make an input; its author has to give it."""


@dataclass(frozen=True)
class TableKind:
    """The kind of table for an operator."""

    label: LabelType | None
    attributes: AttributeKind
    predicted: bool = False
    """Whether the table has been through a model."""

    def __str__(self) -> str:
        label = f"{self.label} label" if self.label else "no label"
        attributes = "mixed" if self.attributes == "any" else self.attributes
        return f"{label}, {attributes} attributes{', prediction' * self.predicted}"

    def table(self) -> ExampleSet:
        """Return a sound table of this kind."""
        return self.finish(sound_table(self.label, self.attributes, ROWS))

    def finish(self, examples: ExampleSet) -> ExampleSet:
        """Return a table with the prediction it needs."""
        return with_prediction(examples) if self.predicted else examples


def _kind_of(examples: ExampleSet) -> TableKind:
    label = examples.schema.label
    if label is None:
        return TableKind(None, "any")
    if label.value_type.is_numerical:
        return TableKind("numerical", "any")
    return TableKind("binominal" if len(label.categories) <= 2 else "polynominal", "any")


@dataclass(frozen=True)
class Case:
    """One call of an operator."""

    inputs: Mapping[str, Any] = field(default_factory=dict)
    """By the name of the port; ports of many have a list, inner processes a function."""
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def with_input(self, port: str, value: Any) -> Case:
        """Return the same call with something else in a port."""
        return replace(self, inputs={**self.inputs, port: value})

    def with_parameter(self, name: str, value: Any) -> Case:
        """Return the same call with one parameter set otherwise."""
        return replace(self, parameters={**self.parameters, name: value})


@dataclass(frozen=True)
class Subject:
    """An operator on trial, and what its author gives to call it with."""

    function: Callable[..., Any]
    inputs: Mapping[str, Any] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    strict: bool = False
    values_per_parameter: int | None = None
    """How many values of each parameter are tried at most; None for all."""

    @cached_property
    def spec(self) -> Operator:
        """The declaration."""
        return operator_of(self.function)

    @property
    def is_built_in(self) -> bool:
        """Whether the operator comes with fsops, so that its author can be held to every rule."""
        module = getattr(self.spec.function, "__module__", "")
        return module.partition(".")[0] == "fsops"

    @property
    def folder(self) -> Path:
        """Folder of the source code of the operator's package."""
        package = sys.modules[self.function.__module__.partition(".")[0]]
        return Path(package.__file__ or "/").parent

    def call(self, case: Case, context: Context | None = None) -> Any:
        """Return the result of a call from Python."""
        given = {**case.inputs, **case.parameters}
        if self.spec.context is not None and context is not None:
            given[self.spec.context] = context
        return self.function(**given)

    def outputs(self, result: Any) -> dict[str, list[Any]]:
        """Return the results by output port: one value, several, or none."""
        ports = self.spec.outputs
        values = result if len(ports) > 1 else (result,)
        pairs = zip(ports, values, strict=True) if ports else ()
        several = {port.name: value if port.many else [value] for port, value in pairs}
        return {name: [v for v in found if v is not None] for name, found in several.items()}

    # --- making cases -----------------------------------------------------------------------

    @property
    def takes_tables(self) -> bool:
        """Whether a table can reach the operator: itself, a result made from it, or a file."""
        return bool(self.spec.inputs) or any(
            _is_read(parameter) and not parameter.examples for parameter in self.spec.parameters
        )

    @property
    def block_ports(self) -> list[str]:
        """The inputs for which the declaration lets tables in blocks of rows in."""
        return [name for name, accepts in self.spec.accepts.items() if accepts.blocks]

    @property
    def sparse_ports(self) -> list[str]:
        """The inputs for which the declaration lets tables stay sparse."""
        return [name for name, accepts in self.spec.accepts.items() if accepts.sparse]

    def table_kinds(self) -> Iterator[TableKind]:
        """Return the kinds of tables that the declaration lets in, the likeliest first."""
        accepts = next(iter(self.spec.accepts.values()), None)
        labels = LABELS[accepts.label if accepts else "none"]
        attributes = ATTRIBUTES.get(accepts.attributes if accepts else "any", ALL_ATTRIBUTES)
        for predicted, wanted in itertools.product((False, True), attributes):
            yield from (TableKind(label, wanted, predicted) for label in labels)

    @cached_property
    def kind(self) -> TableKind:
        """The kind of the author's table, or the first that the operator gives a result for."""
        if self.given_table is not None:
            return _kind_of(self.given_table)
        refusals = []
        for kind in self.table_kinds():
            try:
                with warnings.catch_warnings(action="ignore"):
                    self.call(self.case(kind.table()))
            except Exception as error:  # noqa: BLE001 - another rule will tell
                refusals.append(f"{kind}: {error}")
            else:
                return kind
        raise AssertionError(
            "no generated table gives a result; give inputs= or parameters=. "
            f"The first refusal was, for {refusals[0]}"
        )

    @property
    def table(self) -> ExampleSet:
        """A sound table the operator gives a result for."""
        return self.kind.table() if self.given_table is None else self.given_table

    @property
    def given_table(self) -> ExampleSet | None:
        """The table that the author has given, if any."""
        return next((v for v in self.inputs.values() if isinstance(v, ExampleSet)), None)

    @property
    def plain(self) -> Case:
        """A call that gives a result."""
        return self.case(self.table, fixed=True)

    def case(self, examples: ExampleSet, *, fixed: bool = False) -> Case:
        """Return a call on a table, with everything else made to fit it.

        Values of the author are used as they are; a table of the author only if ``fixed``.
        """
        given = {
            name: value
            for name, value in self.inputs.items()
            if fixed or not isinstance(value, ExampleSet)
        }
        first = next((v for v in given.values() if isinstance(v, ExampleSet)), examples)
        inputs = {
            port.name: given[port.name] if port.name in given else self._made(port, first)
            for port in self.spec.inputs
        }
        for sub in self.spec.subprocesses:
            stand_in: Any = StandIn(replace(sub, many=False), first)
            made = [stand_in, stand_in] if sub.many else stand_in
            inputs[sub.name] = given.get(sub.name, made)
        values = {
            parameter.name: _guess(parameter, first)
            for parameter in self.spec.parameters
            if parameter.required and parameter.name not in self.parameters
        }
        return Case(inputs, {**values, **self.parameters})

    def _made(self, port: Port, examples: ExampleSet) -> Any:
        if port.many:
            return [self._made_one(port, examples, number) for number in range(NUMBER_OF_SEVERAL)]
        return self._made_one(port, examples, 0)

    def _made_one(self, port: Port, examples: ExampleSet, number: int) -> FlowObject | None:
        item = self._item_type(port) if port.type is Collection else None
        made = make_collection(item, examples) if item else make_value(port.type, examples, number)
        if made is not None or port.optional:
            return made
        made = produced(port.type, examples)
        if made is None:
            raise CannotMakeUp(
                f"the input {port.name} takes {port.type.__name__}, which cannot be generated from "
                f"this table: give inputs={{{port.name!r}: …}}"
            )
        return made

    def _item_type(self, port: Port) -> type[FlowObject] | None:
        """Return the type of a collection's items, if the annotation names it."""
        hints = get_type_hints(self.spec.function, include_extras=True)
        found = [kind for kind in _nested(hints.get(port.name)) if get_origin(kind) is Collection]
        items = [get_origin(item) or item for kind in found for item in get_args(kind)]
        return next((item for item in items if isinstance(item, type)), None)

    # --- processes --------------------------------------------------------------------------

    def process(self, case: Case) -> tuple[Process, list[FlowObject], Registry]:
        """Return a process around the operator, its inputs, and its operators."""
        process, given = Process("Contract"), []
        node = process.add(self.spec, **case.parameters)
        for port in self.spec.inputs:
            value = case.inputs.get(port.name)
            for number, item in enumerate((value or []) if port.many else [value], start=1):
                if item is not None:
                    given.append(item)
                    name = f"{port.name} {number}" if port.many else port.name
                    process.connect(process.source(f"input {len(given)}"), node, name)
        used = [self.spec]
        functions = [
            (sub, function)
            for sub in self.spec.subprocesses
            for function in _listed(case.inputs[sub.name])
        ]
        for number, (sub, function) in enumerate(functions):
            if number == len(node.subprocesses):
                node.add_inner()
            used.append(as_operator(function, sub, f"inner_{number + 1}"))
            _fill(node.subprocesses[number], used[-1])
        return process, given, Registry(used)

    def connect_results(self, process: Process, counts: Mapping[str, int]) -> None:
        """Connect every output that had a value when the operator was called as a function."""
        node = next(iter(process))
        for port in self.spec.outputs:
            for number in range(1, counts[port.name] + 1):
                process.result(node[f"{port.name} {number}" if port.many else port.name])


def produced(kind: type[FlowObject], examples: ExampleSet) -> FlowObject | None:
    """Return the output of an installed operator, for a type that only it knows."""
    return _produced(kind, examples, plugins().registry)  # type: ignore[arg-type] # classes can be hashed


@lru_cache(maxsize=64)  # some take long, and most checks of an operator need the same
def _produced(
    kind: type[FlowObject], examples: ExampleSet, registry: Registry
) -> FlowObject | None:
    for spec in registry:
        takes_table_only = [port.type for port in spec.inputs] == [ExampleSet]
        gives = next((p.name for p in spec.outputs if issubclass(p.type, kind)), None)
        if takes_table_only and gives and not spec.subprocesses:
            with contextlib.suppress(Exception), warnings.catch_warnings(action="ignore"):
                inputs = {spec.inputs[0].name: examples}
                made: FlowObject = spec.run(inputs, {}, Context())[gives]
                return made
    return None


def _fill(inner: Process, spec: Operator) -> None:
    node = inner.add(spec)
    for port in spec.inputs:
        name = f"{port.name} 1" if port.many else port.name
        inner.connect(inner.source(name), node, name)
    for port in spec.outputs:
        name = f"{port.name} 1" if port.many else port.name
        inner.result(node[name], name)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _nested(annotation: Any) -> Iterator[Any]:
    yield annotation
    for part in get_args(annotation) if get_origin(annotation) else ():
        yield from _nested(part)


def subject_of(declared: Any, **given: Any) -> Subject:
    """Return an operator function, or a declaration found in a registry, as a subject."""
    if not isinstance(declared, Operator):
        operator_of(declared)
        return Subject(declared, **given)
    return Subject(_function_of(declared), **given)


def _function_of(spec: Operator) -> Callable[..., Any]:
    """Return the function that people import; the declaration only knows the wrapped one."""
    inner = spec.function
    if inner is None:
        raise AssertionError(f"{spec.key} is not installed")
    module = sys.modules.get(inner.__module__)
    public = getattr(module, inner.__name__, None)
    if getattr(public, "operator", None) is spec:
        return public  # type: ignore[return-value]

    def call(*args: Any, **kwargs: Any) -> Any:
        return spec.called(args, kwargs)

    call.operator = spec  # type: ignore[attr-defined]
    return call


# --- parameters -----------------------------------------------------------------------------


def _guess(parameter: Parameter, examples: ExampleSet) -> Any:
    """Return a value for a parameter without default."""
    if parameter.examples:
        return parameter.examples[0]
    if parameter.kind == "choice":
        return parameter.choices[0]
    if parameter.kind == "file":
        if _is_read(parameter):
            return str(_written(examples, parameter))
        folder = parameter.file is not None and "folder" in parameter.file.noun
        return str(scratch() / ("folder" if folder else "written"))
    names = examples.schema.regular_names
    guesses: Mapping[str, Any] = {
        "boolean": True,
        "integer": _inside(parameter, 2),
        "number": _inside(parameter, 0.5),
        "text": "text",
        "attribute": names[0] if names else "none",
        "attributes": list(names[:2]),
        "list": [],
        "pairs": [],
    }
    return guesses[parameter.kind]


def _inside(parameter: Parameter, wish: float) -> float:
    """Return the wish, moved between the bounds."""
    bounds = parameter.bounds or {}
    step = 1 if parameter.kind == "integer" else 1e-3
    low = max(bounds.get("ge", wish), bounds.get("gt", wish - step) + step)
    return min(max(wish, low), bounds.get("le", low), bounds.get("lt", low + step) - step)


def _is_read(parameter: Parameter) -> bool:
    return parameter.file is not None and not parameter.file.write


@cache
def scratch() -> Path:
    """Return a folder for files that operators read and write; removed at the end."""
    folder = Path(tempfile.mkdtemp(prefix="fsops-testing-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _written(examples: ExampleSet, parameter: Parameter) -> Path:
    """Return a file that holds the table, in the first format that we know."""
    accepted = (parameter.file.suffixes if parameter.file else ()) or (".csv",)
    suffix = next((suffix for suffix in accepted if suffix in _WRITERS), None)
    if suffix is None:
        raise CannotMakeUp(
            f"{parameter.name} takes files with {' or '.join(accepted)}, which cannot be "
            f"generated: give parameters={{{parameter.name!r}: …}}"
        )
    file = scratch() / f"{examples.fingerprint()[:16]}-{len(examples)}{suffix}"
    if not file.exists():
        try:
            _WRITERS[suffix](examples, str(file))
        except FsopsError as error:  # not every table fits every format
            raise CannotMakeUp(str(error)) from None
    return file


def _write_parquet(examples: ExampleSet, file: str) -> None:
    import pyarrow.parquet

    pyarrow.parquet.write_table(examples.to_arrow(), file)


def _write_text(separator: str) -> Callable[[ExampleSet, str], None]:
    return lambda examples, file: examples.to_pandas().to_csv(file, index=False, sep=separator)


def numerical_part(examples: ExampleSet) -> ExampleSet:
    """Return the table without regular attributes that are not numbers."""
    schema = examples.schema
    others = np.setdiff1d(schema.regular, schema.regular_numerical)
    return examples.drop(schema.names_at(others))


def write_matrix(examples: ExampleSet, file: str) -> None:
    """Write the numbers as a Matrix Market file."""
    from scipy.io import mmwrite
    from scipy.sparse import coo_array

    with open(file, "wb") as stream:
        mmwrite(stream, coo_array(examples.matrix()))


def _write_stata(examples: ExampleSet, file: str) -> None:
    """Write a table as Stata does, which allows simple names only."""
    frame = examples.to_pandas()
    names = {name: f"v{number}" for number, name in enumerate(frame)}
    try:
        frame.rename(columns=names).to_stata(file, write_index=False)
    except (ValueError, NotImplementedError, TypeError) as error:
        raise DataError(f"Stata cannot hold the table: {error}") from None


def _write_rds(examples: ExampleSet, file: str) -> None:
    """Write a table as a data frame of R."""
    import pandas as pd
    import rdata

    try:
        # With texts as objects: rdata does not know the newer kind of text column.
        frame = examples.to_pandas()
        texts = [name for name in frame if not pd.api.types.is_numeric_dtype(frame[name])]
        frame = frame.astype(dict.fromkeys(texts, object))
        rdata.write_rds(file, frame.set_axis(frame.columns.astype(object), axis=1))
    except (ValueError, NotImplementedError, TypeError) as error:
        raise DataError(f"R cannot hold the table: {error}") from None


def _write_series_matrix(examples: ExampleSet, file: str) -> None:
    """Write numbers as GEO does: attributes in rows, classes in a line above them."""
    import pandas as pd

    values = examples.numeric()
    if not values.size:
        raise DataError("A series matrix needs numbers.")
    frame = pd.DataFrame(values.T, examples.schema.names_at(examples.schema.regular_numerical))
    label = examples.schema.label
    classes = list(map(str, examples.column(label.name))) if label is not None else []
    facts = "\t".join(["!Sample_characteristics_ch1", *(f"class: {c}" for c in classes)])
    begin = f"{facts}\n!series_matrix_table_begin\n"
    frame.columns = [f"GSM{number}" for number in range(len(examples))]
    Path(file).write_text(begin + frame.to_csv(sep="\t", index_label="ID_REF"), encoding="utf-8")


def _write_gene_sets(examples: ExampleSet, file: str) -> None:
    """Write the regular attributes as two sets."""
    names = [name for name in examples.schema.regular_names if name.strip() == name and name]
    half = max(1, len(names) // 2)
    parts = [part for part in (names[:half], names[half:]) if part]
    lines = [f"set{n}\tgenerated\t" + "\t".join(part) for n, part in enumerate(parts)]
    if not lines:
        raise DataError("Sets need names.")
    Path(file).write_text("\n".join(lines), encoding="utf-8")


_WRITERS: Mapping[str, Callable[[ExampleSet, str], object]] = {
    ".att": write_constructions_file,
    ".gmt": _write_gene_sets,
    ".csv": _write_text(","),
    ".txt": _write_text(","),
    ".tsv": _write_text("\t"),
    ".parquet": _write_parquet,
    ".arff": lambda examples, file: write_arff_table(examples, file, "generated"),
    ".xlsx": lambda examples, file: write_excel_table(examples, file, sheet="Data", header=True),
    ".svm": lambda examples, file: write_svmlight_table(numerical_part(examples), file, 1),
    ".coo.csv": lambda examples, file: write_coordinates_table(numerical_part(examples), file),
    ".mtx": lambda examples, file: write_matrix(numerical_part(examples), file),
    ".h5ad": lambda examples, file: write_anndata_table(numerical_part(examples), file),
    "_series_matrix.txt": _write_series_matrix,
    ".dta": _write_stata,
    ".rds": _write_rds,
    ".wgt": lambda examples, file: write_weights_file(stand_in_weights(examples), file),
}
