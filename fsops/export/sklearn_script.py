"""A cross-validated selection as a Python script with a Pipeline of scikit-learn."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import Any, NoReturn

from fsops.core.checks.propagation import canonical, propagate
from fsops.core.declare.parameters import check_parameters
from fsops.core.declare.roles import CHOOSING_ATTRIBUTES, Role
from fsops.core.graph.process import Node, Process
from fsops.core.graph.wiring import SINK, SOURCE
from fsops.data import AttributeWeights, ExampleSet, ExampleSetMetaData, Model
from fsops.errors import UsageError
from fsops.export.python_script import Script, ScriptFunction, check_installed
from fsops.export.python_text import bracketed

VALIDATION = "cross_validation"
TESTS = ("apply_model", "performance", "performance_classification", "performance_regression")
HINT = "Use --to python, which can express any process."
FOLDS = {
    "automatic": "StratifiedKFold",
    "stratified sampling": "StratifiedKFold",
    "shuffled sampling": "KFold",
    "linear sampling": "KFold",
}


def sklearn_script(process: Process, *, source: str = "", folder: str = "") -> str:
    """Return a script with the process as a Pipeline, or say why it is none.

    The process must be: data, perhaps prepared, then a cross-validation whose training is one
    selection and one learner.
    """
    return _PipelineScript(process, source, folder).text()


@dataclass(frozen=True)
class _Steps:
    """The steps of the training."""

    learner: Node
    weighting: Node | None = None
    top: Node | None = None
    """Select Top k, if it is between weighting and selection."""


class _PipelineScript(Script):
    PROMISE = (
        "scikit-learn assigns rows to folds in its own way, so the scores differ a little "
        "from those of the process. The scores are the accuracy, or R² for a numerical label, "
        "even if the process measures other criteria."
    )

    RESERVED = Script.RESERVED | {"learner", "selector", "cross_validate", "Pipeline"}

    def main(self, inputs: bool) -> str:
        """Return the function that validates the pipeline."""
        if inputs:
            refuse("It takes inputs.")
        validation = _only_validation(self.process)
        start = self.process.incoming(validation.name).get("examples")
        if start is None:
            refuse("Its cross validation gets no table.", validation)
        _check_steps(validation)
        steps = _training_steps(validation.inner("training"))
        _check_testing(validation.inner("testing"))
        table = ScriptFunction(self.names.inside())
        before = self._prepared(validation, table)
        selection = self._selection(steps)
        learner = self._learner(steps.learner)
        given = _values(validation)
        if given["leave_one_out"] or given["split_on_batch_attribute"]:
            refuse("It leaves out one row at a time, or splits by a batch attribute.", validation)
        folds = FOLDS[given["sampling"]]
        if given["sampling"] == "automatic" and _has_numbers(self.process, validation):
            folds = "KFold"
        shuffled = given["sampling"] != "linear sampling"
        seed = f", shuffle=True, random_state={abs(self.process.seed)}" if shuffled else ""
        for module, name in (
            ("sklearn.model_selection", "cross_validate"),
            ("sklearn.model_selection", folds),
            ("sklearn.pipeline", "Pipeline"),
            ("fsops.sklearn", "ProcessEstimator"),
        ):
            self.imports.setdefault(module, set()).add(name)
        parts = [*([f'("selection", {selection})'] if selection else []), '("learner", learner())']
        lines = [
            before,
            f"table = {table.at(start)}",
            "frame = table.to_pandas()",
            "X = frame[list(table.schema.regular_names)]",
            "y = frame[table.schema.label.name]",
            bracketed("pipeline = Pipeline(", "[", parts, "])"),
            f"folds = {folds}({given['number_of_folds']}{seed})",
            "return cross_validate(pipeline, X, y, cv=folds)",
        ]
        doc = '"""Return the scores of the folds, and how long they took."""'
        body = textwrap.indent("\n".join([doc, *lines]), "    ")
        return f"{learner}\n\n\ndef main():\n{body}"

    def shown(self) -> str:
        """Return the output of the script."""
        return 'print(main()["test_score"].mean())'

    def _prepared(self, validation: Node, function: ScriptFunction) -> str:
        """Return the block that makes the table: all before the validation."""
        self.level(self.process, function, but=validation)
        run = bracketed("with fsops.running", "(", self.settings(), "):")
        return f"{run}\n{textwrap.indent(chr(10).join(function.lines), '    ')}"

    def _selection(self, steps: _Steps) -> str:
        """Return the selection as a selector of scikit-learn."""
        node = steps.weighting
        if node is None:
            return ""
        self.imports.setdefault("fsops.sklearn", set()).add("selector")
        given = [p for p in self.parameters(node) if not p.startswith("name=")]
        if node.operator.random:
            given.append(f"random_state={abs(self.process.seed)}")
        if steps.top is not None:
            values = _values(steps.top)
            if values["use_absolute_weights"]:
                refuse("Weights are compared by their absolute value.", steps.top)
            choice = "k" if values["method"] == "top k" else "p"
            if any(parameter.name == choice for parameter in node.operator.parameters):
                refuse(f'"{node.name}" already has a parameter "{choice}".', steps.top)
            given.append(f"{choice}={values[choice]}")
        return f"selector({', '.join([f'{chr(34)}{node.operator.key}{chr(34)}', *given])})"

    def _learner(self, node: Node) -> str:
        """Return a function that makes an estimator of the learner."""
        name = self.function(node.operator)
        given = [p for p in self.parameters(node) if not p.startswith("name=")]
        added = bracketed(
            "process.result(process.add", "(", [name, "process.source()", *given], "))"
        )
        lines = [
            '"""Return the learner as an estimator."""',
            "process = fsops.Process()",
            added,
            "return ProcessEstimator(process)",
        ]
        return f"def learner():\n{textwrap.indent(chr(10).join(lines), '    ')}"


def refuse(reason: str, node: Node | None = None) -> NoReturn:
    """Raise the reason why the process is not a pipeline."""
    raise UsageError(
        f"The process is not a pipeline of scikit-learn: {reason[0].lower()}{reason[1:]}",
        hint=HINT,
        path=node.path if node else (),
    )


def _values(node: Node) -> dict[str, Any]:
    return check_parameters(node.operator.parameters, canonical(node))


def _has_numbers(process: Process, validation: Node) -> bool:
    """Return whether the label is known to be a number."""
    meta = propagate(process).inputs.get(validation.name, {}).get("examples")
    schema = meta.schema if isinstance(meta, ExampleSetMetaData) else None
    label = schema.label if schema is not None else None
    return label is not None and not label.value_type.is_nominal


def _only_validation(process: Process) -> Node:
    found = [node for node in process if node.enabled and node.operator.key == VALIDATION]
    if len(found) != 1:
        count = f"{len(found)} cross validations" if found else "no cross validation"
        refuse(f"It has {count} at its outermost level.")
    validation = found[0]
    after = [node for node in process if validation.name in process.before(node.name)]
    if after:
        refuse("Its results are used by a further operator.", after[0])
    others = {start for start, _ in process.incoming(SINK).values()} - {validation.name}
    if others:
        refuse(f'It also returns results of "{min(others)}".')
    return validation


def _check_steps(validation: Node) -> None:
    """Refuse what cannot be a step of a pipeline, whatever it is connected to."""
    for inner in validation.subprocesses:
        for node in inner:
            if not node.enabled:
                refuse("A step of its cross validation is disabled.", node)
            check_installed(node)


def _training_steps(training: Process) -> _Steps:
    """Return the steps of a training that is a selection and a learner."""
    fed = training.incoming(SINK)
    if any(port.startswith("through") for port in fed):
        refuse("Its training passes more than the model to the testing.", training.owner)
    start = fed.get("model", (SOURCE, ""))[0]
    if start == SOURCE:
        refuse("Its training returns no model.", training.owner)
    learner = training[start]
    steps = _steps_before(training, learner)
    known = {n.name for n in (steps.learner, steps.weighting, steps.top) if n is not None}
    others = [n for n in training if n.name not in known and n.operator.key != "select_by_weights"]
    if others:
        refuse("Only a selection and a learner can be steps of the training.", others[0])
    return steps


def _steps_before(training: Process, learner: Node) -> _Steps:
    table = training.incoming(learner.name).get("examples", ("", ""))[0]
    if learner.operator.subprocesses or not issubclass(learner.operator.outputs[0].type, Model):
        refuse("The last step of the training is not a plain learner.", learner)
    if table == SOURCE:
        return _Steps(learner)
    if not table:
        refuse("The last step of the training is not trained on one table.", learner)
    selection = training[table]
    if selection.operator.key != "select_by_weights" or selection.parameters:
        reason = "The operator before the learner must be Select by Weights with its defaults."
        refuse(reason, selection)
    weights = _weights_before(training, selection)
    top = weights if weights.operator.key == "select_top_k" else None
    if top is not None:
        weights = _weights_before(training, top)
    spec = weights.operator
    fed = training.incoming(weights.name)
    plain = [(p.name, start[0]) for p in spec.inputs for start in [fed.get(p.name)] if start]
    takes_table = bool(spec.inputs) and issubclass(spec.inputs[0].type, ExampleSet)
    gives_weights = any(issubclass(port.type, AttributeWeights) for port in spec.outputs)
    if not takes_table or not gives_weights or spec.subprocesses or len(plain) != 1:
        refuse("Weights must come from one operator that takes the table.", weights)
    table = training.incoming(selection.name).get("examples", ("", ""))[0]
    if {table, plain[0][1]} != {SOURCE}:
        refuse("The selection is not made on the table of the training.", selection)
    if spec.role not in CHOOSING_ATTRIBUTES:
        refuse("Its weights do not come from a weighting or a selection.", weights)
    if top is None and spec.role is Role.WEIGHTING:
        refuse("The number of attributes to keep is not given.", weights)
    return _Steps(learner, weights, top)


def _weights_before(training: Process, node: Node) -> Node:
    """Return the operator whose weights another one gets."""
    start = training.incoming(node.name).get("weights", (SOURCE, ""))[0]
    if start == SOURCE:
        refuse("A step of the training gets no weights.", node)
    return training[start]


def _check_testing(testing: Process) -> None:
    others = [node for node in testing if node.operator.key not in TESTS]
    if others or len(testing) != 2:
        refuse("Its testing does more than apply the model and measure it.", testing.owner)
