"""The parameters of a call: with macros, the settings of a search, and full file names."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fsops.core.declare.macros import expand
from fsops.core.declare.parameters import has_macro
from fsops.core.frame.frame import Frame
from fsops.core.frame.services import Services
from fsops.errors import StorageError

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
    settings = around.settings.get(name, {})
    if settings:
        known = {parameter.name: parameter for parameter in spec.parameters}
        for key, value in settings.items():
            values[key] = known[key].check_rounded(value) if key in known else value
    for parameter in spec.parameters:
        if parameter.kind != "file":
            continue
        value = values.get(parameter.name)
        if around.folder is not None and isinstance(value, str) and value:
            # pathlib drops the folder if the path is absolute.
            values[parameter.name] = str(around.folder / Path(value).expanduser())
        if parameter.file is not None and parameter.file.write and values.get(parameter.name):
            _check_writable(around.services, str(values[parameter.name]))
    return values


def _check_writable(services: Services, file: str) -> None:
    """Refuse to write where the user has not agreed to it: the process may be a stranger's."""
    if services.writable is None:
        return
    # resolve() follows links and removes "..": both could lead out of the folder.
    target = Path(file).resolve()
    if not any(target.is_relative_to(folder.resolve()) for folder in services.writable):
        folder = shlex.quote(str(target.parent))
        raise StorageError(
            f'The process wants to write "{target}", which is outside of its own folder.',
            hint=f"If you agree, run it with --allow-write {folder}",
        )
