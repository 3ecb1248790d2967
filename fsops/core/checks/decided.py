"""Operators of RapidMiner that stay placeholders by decision, and why."""

from __future__ import annotations

from collections.abc import Mapping

_CODE = "it executes foreign code"
_ASSOCIATIONS = "fsops has no association rules"
_TEXT = "fsops has no text mining"
_DATABASE = "fsops reads files, not databases"

DECIDED: Mapping[str, str] = {
    **dict.fromkeys(("execute_script", "execute_program", "execute_python", "execute_r"), _CODE),
    **dict.fromkeys(
        ("fp_growth", "create_association_rules", "apply_association_rules",
         "generalized_sequential_patterns", "item_sets_to_data", "unify_item_sets",
         "generate_item_set_indicators"),
        _ASSOCIATIONS,
    ),
    "generate_tfidf": _TEXT,
    **dict.fromkeys(
        ("read_database", "write_database", "update_database", "execute_sql", "stream_database"),
        _DATABASE,
    ),
}  # fmt: skip
"""Reasons by RapidMiner's key without the prefix of its extension."""
PREFIXES: Mapping[str, str] = {
    "text": _TEXT,
    "jdbc_connectors": _DATABASE,
    "python_scripting": _CODE,
    "r_scripting": _CODE,
}
"""Reasons by the prefix of an extension."""
ADVICE = "A plugin of ten lines can replace it: docs/plugins.md."


def decision(key: str) -> str:
    """Return why an operator stays a placeholder, as a sentence; empty if that is not decided."""
    prefix, _, bare = key.rpartition(":")
    reason = DECIDED.get(bare) or PREFIXES.get(prefix, "")
    return f"It stays a placeholder by decision: {reason}. {ADVICE}" if reason else ""
