"""The parameters of a call: with macros, the settings of a search, and full file names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from fsops.core.declare.macros import expand
from fsops.core.declare.parameters import has_macro
from fsops.core.frame.frame import Frame

if TYPE_CHECKING:
    from fsops.core.operator import Operator


def resolved_parameters(
    around: Frame, spec: Operator, name: str, given: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the parameters with macros, the settings of a search, and full file names."""
    macros = around.state.macros
    values = {
        key: expand(value, macros) if has_macro(value) else value for key, value in given.items()
    }
    # After the macros: the settings of a search are final values and are not expanded.
    settings = around.all_settings.get(name, {})
    if settings:
        known = {parameter.name: parameter for parameter in spec.parameters}
        for key, value in spec.renamed(settings).items():
            values[key] = known[key].check_rounded(value) if key in known else value
    for parameter in spec.file_parameters:
        value = values.get(parameter.name)
        if parameter.file is not None and isinstance(value, str) and value:
            from fsops.core.declare.file_access import FileAccess  # few operators need it

            services = around.services
            access = FileAccess(around.folder, services.readable, services.writable)
            values[parameter.name] = access.path(parameter.file, value)
    return values
