"""Differences from RapidMiner that need code: each function corrects the settings of an operator.

They run after numbers have become words and RapidMiner's defaults have been filled in.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from dataclasses import dataclass, field

from lxml import etree

from fsops.core.declare.parameters import join_names
from fsops.core.operator import Operator
from fsops.storage.messages import shown
from fsops.storage.rapidminer.ports import Names, PortNames, rename_ports
from fsops.storage.rapidminer.report import ConversionReport, Ignored, Remark
from fsops.storage.rapidminer.settings import ForeignSettings, words

RECORD_SEPARATOR = "\u241e"
CRITERIA = words("""
    accuracy classification_error kappa weighted_mean_recall weighted_mean_precision spearman_rho
    kendall_tau absolute_error relative_error relative_error_lenient relative_error_strict
    normalized_absolute_error root_mean_squared_error root_relative_squared_error squared_error
    correlation squared_correlation cross-entropy margin soft_margin_loss logistic_loss AUC
    precision recall lift fallout f_measure false_positive false_negative true_positive
    true_negative sensitivity specificity youden positive_predictive_value
    negative_predictive_value psep prediction_average
""") | {"AUC (optimistic)", "AUC (pessimistic)"}
MEASURES = {
    "MixedMeasures": ("mixed_measure", "MixedEuclideanDistance"),
    "NumericalMeasures": ("numerical_measure", "EuclideanDistance"),
    "NominalMeasures": ("nominal_measure", "NominalDistance"),
    "BregmanDivergences": ("divergence", "GeneralizedIDivergence"),
}
NEW_FILTERS = {
    "all attributes": "all",
    "one attribute": "single",
    "a subset": "subset",
    "regular expression": "regular_expression",
    "type(s) of values": "value_type",
    "no missing values": "no_missing_values",
}
DATES = ("time", "date")
LOGGED = {
    "performance": "performance",
    "performance1": "performance",
    "performance main criterion": "performance",
    "time": "time",
}
DIRECTIONS = {"ascending": "increasing", "descending": "decreasing"}
MOST_EXPRESSIONS, LONGEST_EXPRESSION = 100, 1_000
NO_LIMIT = "100000"
"""Iterations that no solver needs; RapidMiner says it by 0."""

_ENTRY = re.compile(r"operator\.(?P<name>.+)\.(?P<kind>value|parameter)\.(?P<key>[^.]+)")
_VERSION = re.compile(r"(\d{1,4})(?:\.(\d{1,4}))?(?:\.(\d{1,6}))?")
_READ_MACRO = re.compile(r"\b(?:eval|parse)\(\s*(%\{[^{}()]*\})\s*\)")
_TUPLE = re.compile(r"(?<!\\)\.")


@dataclass
class Adaptation:
    """The operator that is being translated."""

    name: str
    element: etree._Element
    operator: Operator
    report: ConversionReport
    names: Set[str]
    """Names of all operators of the file."""
    inserted: dict[str, str] = field(default_factory=dict)
    """Operators to be put behind an output, by the output's name."""

    def ignore(self, settings: ForeignSettings, name: str, effect: str = "") -> None:
        """Remove a setting and report that."""
        if name in settings:
            value = settings.shown(name)
            self.report.ignored.append(Ignored(self.name, name, value, effect))
            settings.remove(name)

    def remark(self, text: str, *, changes: bool = True) -> None:
        """Report something that is done in another way."""
        self.report.remarks.append(Remark(self.name, text, changes))

    @property
    def compatibility(self) -> tuple[int, ...]:
        """The version whose behavior the operator has; the newest by default."""
        return version_of(self.element.get("compatibility", "")) or (99,)


def version_of(text: str) -> tuple[int, ...]:
    """Return a version as numbers; empty if the text is none."""
    found = _VERSION.match(text)
    return tuple(int(part or 0) for part in found.groups()) if found else ()


# --- weights and selection ------------------------------------------------------------------


def normalized_weights(settings: ForeignSettings, task: Adaptation) -> None:
    """Let an operator behind a weighting bring the weights between 0 and 1."""
    if settings.is_on("normalize_weights", default=False):
        task.inserted["weights"] = "normalize_weights"
    settings.remove("normalize_weights")


def no_infinity(settings: ForeignSettings, task: Adaptation) -> None:
    """Say by nothing that no fitness is enough."""
    if settings.get("maximal_fitness") == "Infinity":
        settings.remove("maximal_fitness")


def scale_by_weights(settings: ForeignSettings, task: Adaptation) -> None:
    """Multiply by the weights, as RapidMiner's wrapper validations always do."""
    settings.set("scale_by_weights", "true")


# --- learners -------------------------------------------------------------------------------


def neural_kernel(settings: ForeignSettings, task: Adaptation) -> None:
    """Give the two numbers of the neural kernel the names they have in the others."""
    if settings.get("kernel_type") == "neural":
        settings.set("kernel_gamma", settings.get("kernel_a", "1.0"))
        settings.set("kernel_shift", settings.get("kernel_b", "0.0"))


def libsvm(settings: ForeignSettings, task: Adaptation) -> None:
    """Keep the tolerance of LIBSVM apart from the width of the tube, which is p there."""
    plain = settings.get("epsilon", "0.001") in ("0.001", "0.0010", "1.0E-3")
    task.ignore(settings, "epsilon", "" if plain else "changes the last digits")


def old_pruning(settings: ForeignSettings, task: Adaptation) -> None:
    """Bring the switches of old trees into the form of new ones."""
    for old, new in (("no_pruning", "apply_pruning"), ("no_pre_pruning", "apply_prepruning")):
        if old in settings:
            settings.set(new, "false" if settings.is_on(old, default=False) else "true")
            settings.remove(old)


def multiway_tree(settings: ForeignSettings, task: Adaptation) -> None:
    """Count splits, not nodes, one below the other; numbers are split by their variance."""
    depth = settings.get("maximal_depth", "20")
    if depth.isdecimal() and int(depth) > 1:
        settings.set("maximal_depth", str(int(depth) - 1))
    if settings.get("criterion") == "least_square":
        settings.remove("criterion")


def unlimited_depth(settings: ForeignSettings, task: Adaptation) -> None:
    """Say by nothing that trees may be of any depth."""
    if settings.get("maximal_depth") == "-1":
        settings.set("maximal_depth", "")


def distance(settings: ForeignSettings, task: Adaptation) -> None:
    """Take the measure from the setting that counts."""
    kind = settings.get("measure_types", "MixedMeasures")
    if kind in MEASURES:
        settings.set("measure", settings.get(*MEASURES[kind]))
    for name in ("measure_types", *(name for name, _ in MEASURES.values())):
        settings.remove(name)


def hidden_layers(settings: ForeignSettings, task: Adaptation) -> None:
    """Take the sizes of the layers; -1 stands for the size that is chosen without a setting."""
    sizes = [size for _, size in settings.pairs("hidden_layers")]
    settings.remove("hidden_layers")
    if sizes and "-1" not in sizes:
        settings.set_values("hidden_layers", sizes)
    if settings.is_on("decay", default=False):
        task.remark("The learning rate does not decay over the cycles.")
    settings.remove("decay")
    task.remark("The weights of the connections start from other random numbers.")


def h2o_logistic(settings: ForeignSettings, task: Adaptation) -> None:
    """Fit without a penalty unless regularization is on; 0 iterations mean no limit."""
    if settings.get("max_iterations", "0") == "0":
        settings.set("max_iterations", NO_LIMIT)
    if settings.is_on("use_regularization", default=False):
        task.remark("H2O chooses the strength of the penalty from the data; here C = 1 is used.")
    else:
        settings.set("regularization", "false")


# --- performance ----------------------------------------------------------------------------


def criteria(settings: ForeignSettings, task: Adaptation) -> None:
    """Make one list of the switches for each criterion."""
    known = next((p.choices for p in task.operator.parameters if p.name == "main_criterion"), ())
    given = [name for name in settings if name in CRITERIA]
    wanted = [name for name in given if settings.is_on(name, default=False)]
    chosen = [name for name in wanted if name in known]
    for name in given:
        if name in wanted and name not in known:
            task.ignore(settings, name, "leaves this criterion out")
        settings.remove(name)
    first = next((name for name in known if name != "first"), "")
    if wanted and not chosen:
        task.remark(f"None of the criteria is known, so {first} is measured.")
    if first:
        settings.set_values("criteria", chosen or [first])
    main = settings.get("main_criterion", "first")
    if main not in known:
        settings.set("main_criterion", "first")
        task.remark(f"main_criterion is {shown(main)}, which is not known; the first counts.")


def positive_class(settings: ForeignSettings, task: Adaptation) -> None:
    """Forget a positive class that is not in use."""
    if not settings.is_on("manually_set_positive_class", default=False):
        settings.remove("positive_class")
    settings.remove("manually_set_positive_class")


# --- tables ---------------------------------------------------------------------------------


def attribute_filter(settings: ForeignSettings, task: Adaptation) -> None:
    """Leave out exceptions that are switched off."""
    if not settings.is_on("use_except_expression", default=False):
        settings.remove("except_regular_expression")
    settings.remove("use_except_expression")
    for kind in ("value_type", "block_type"):
        switch = f"use_{kind}_exception"
        if not settings.is_on(switch, default=False):
            settings.remove(switch)
            settings.remove(f"except_{kind}")
    if settings.get("attribute_filter_type", "all") != "block_type":
        settings.remove("block_type")
    if settings.get("value_type") in DATES:
        settings.set("value_type", "date_time")


def old_coding(settings: ForeignSettings, task: Adaptation) -> None:
    """Code by numbers where an operator of old behaves like that."""
    if "coding_type" not in settings and task.compatibility <= (5, 2, 8):
        settings.set("coding_type", "unique integers")


def blending_filter(settings: ForeignSettings, task: Adaptation) -> None:
    """Bring the filter of RapidMiner 10 into the older form."""
    excluded = settings.get("type", "include attributes").startswith("exclude")
    settings.remove("type")
    settings.set("invert_selection", "true" if excluded else "false")
    kind = settings.get("attribute_filter_type", "all attributes")
    settings.set("attribute_filter_type", NEW_FILTERS.get(kind, kind))
    settings.rename("select_attribute", "attribute")
    if "select_subset" in settings:
        names = settings.get("select_subset").split(RECORD_SEPARATOR)
        settings.set("attributes", join_names([name for name in names if name]))
        settings.remove("select_subset")
    special = "also_apply_to_special_attributes_(id,_label..)"
    settings.rename(special, "include_special_attributes")


def blending_roles(settings: ForeignSettings, task: Adaptation) -> None:
    """Set the first role by the setting for one, the rest by the list."""
    pairs = settings.pairs("set_roles")
    settings.remove("set_roles")
    if pairs:
        settings.set("attribute_name", pairs[0][0])
        settings.set("target_role", pairs[0][1])
    if pairs[1:]:
        settings.set_pairs("set_additional_roles", pairs[1:])


def blending_sort(settings: ForeignSettings, task: Adaptation) -> None:
    """Sort by the first attribute of the list, then by the others."""
    pairs = [(name, DIRECTIONS.get(value, value)) for name, value in settings.pairs("sort_by")]
    settings.remove("sort_by")
    if pairs:
        settings.set("attribute_name", pairs[0][0])
        settings.set("sorting_direction", pairs[0][1])
    if pairs[1:]:
        settings.set_pairs("sort_additionally_by", pairs[1:])


def attribute_order(settings: ForeignSettings, task: Adaptation) -> None:
    """Make a list of the names, which RapidMiner joins by the pipe sign."""
    names = settings.get("attribute_ordering")
    if names:
        settings.set_values("attribute_ordering", [name for name in names.split("|") if name])
    if settings.get("sort_mode") == "reference data":
        task.remark("Attributes keep their order: a table as reference is not supported.")
        settings.set("sort_mode", "user specified")


def file_columns(settings: ForeignSettings, task: Adaptation) -> None:
    """Take roles, types and columns to skip from what RapidMiner's wizard noted."""
    name = "data_set_meta_data_information"
    columns = [_column(value) for _, value in settings.pairs(name)]
    settings.remove(name)
    roles = {column["role"]: column["name"] for column in columns if column["used"] != "false"}
    for role in ("label", "id"):
        if role in roles:
            settings.set(role, roles.pop(role))
    skipped = [column["name"] for column in columns if column["used"] == "false"]
    if skipped:
        settings.set_values("skip", skipped)
    nominal = [c for c in columns if c["type"] in ("polynominal", "binominal", "nominal", "text")]
    types = [(c["name"], "polynominal") for c in nominal if c["used"] != "false"]
    if types:
        settings.set_pairs("types", types)
    others = [role for role in roles if role not in ("attribute", "regular", "")]
    for role in others:
        task.remark(f"{shown(roles[role])} has the role {shown(role)}: add Set Role for it.")


def _column(text: str) -> Mapping[str, str]:
    """Return name, use, type and role, which are joined by dots."""
    parts = [re.sub(r"\\(.)", r"\1", part) for part in _TUPLE.split(text)]
    parts += ["true", "attribute_value", "attribute"][len(parts) - 1 :]
    return dict(zip(("name", "used", "type", "role"), parts[:4], strict=True))


def date_period(settings: ForeignSettings, task: Adaptation) -> None:
    """Take the period from the setting of the unit: each unit has its own in RapidMiner."""
    unit = settings.get("time_unit", "millisecond")
    settings.set("time_unit", unit)
    period = settings.get(f"{unit.replace(' ', '_')}_relative_to")
    for name in settings:
        if name.endswith("_relative_to"):
            settings.remove(name)
    if period:
        settings.set("relative_to", period)


def one_group(settings: ForeignSettings, task: Adaptation) -> None:
    """Make a list of the attribute to group by."""
    name = settings.get("group_attribute")
    settings.remove("group_attribute")
    if name:
        settings.set_values("group_by_attributes", [name])


def several_groups(settings: ForeignSettings, task: Adaptation) -> None:
    """Make a list of the attributes to group by, which RapidMiner joins by the pipe sign."""
    names = settings.get("group_by_attributes")
    if names:
        settings.set_values("group_by_attributes", [name for name in names.split("|") if name])


# --- control --------------------------------------------------------------------------------


def chained_table(settings: ForeignSettings, task: Adaptation) -> None:
    """Let each iteration work on the table of the one before, as the old Loop Attributes does."""
    connections = task.element.iterfind("process/connect")
    if any(c.get("to_op") is None and c.get("to_port") == "example set" for c in connections):
        settings.set("reuse_results", "true")
        ends: Names = {"example set": "output 1", "result": ("output", 1)}
        rename_ports(task.element, PortNames(outputs=ends, sinks=ends))


def macro_expressions(settings: ForeignSettings, task: Adaptation) -> None:
    """Take macros as they are: in RapidMiner they are texts until eval or parse reads them."""
    name = "function_descriptions"
    pairs: list[tuple[str, str]] = []
    for key, value in settings.pairs(name)[:MOST_EXPRESSIONS]:
        words = _READ_MACRO.sub(r"(\1)", value)
        for earlier, expression in pairs:  # an expression may use the macros above it
            if len(words) < LONGEST_EXPRESSION:
                words = words.replace(f"%{{{earlier}}}", f"({expression})")
        pairs.append((key, words))
    if pairs:
        settings.set_pairs(name, pairs)


def series_configuration(settings: ForeignSettings, task: Adaptation) -> None:
    """Write first and last value of a series with a semicolon; a tuple has dots between them."""
    name = "numeric_series_configuration"
    pairs = []
    for key, value in settings.pairs(name):
        parts = [re.sub(r"\\(.)", r"\1", part) for part in _TUPLE.split(value)]
        numbers = [part for part in parts if re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", part)]
        pairs.append((key, ";".join(numbers[:2])))
    if pairs:
        settings.set_pairs(name, pairs)


def logged_values(settings: ForeignSettings, task: Adaptation) -> None:
    """Leave out columns of a log that nothing here fills."""
    around = {parent.get("name") for parent in task.element.iterancestors("operator")}
    kept = []
    for column, source in settings.pairs("log"):
        entry = _ENTRY.fullmatch(source)
        value = entry["key"] if entry and entry["kind"] == "value" else ""
        unknown = value and value not in LOGGED and value not in CRITERIA
        there = entry and entry["name"] in task.names and entry["name"] not in around
        if entry and (unknown or not there):
            what = f"{entry['name']}.{entry['key']}"
            text = f"The log has no column {shown(column)}: {what} is not known while it runs."
            task.remark(text)
        elif entry and value in LOGGED:
            kept.append((column, f"operator.{entry['name']}.value.{LOGGED[value]}"))
        else:
            kept.append((column, source))
    if "log" in settings:
        settings.set_pairs("log", kept)
