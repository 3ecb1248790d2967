"""Rules about operators around models: learners of several models, thresholds, clusters."""

from __future__ import annotations

from collections.abc import Mapping

from fsops.storage.rapidminer.rule import MappingRule

MODEL_RULES: Mapping[str, MappingRule] = {}
"""Rules by RapidMiner's key without the prefix of a module."""
