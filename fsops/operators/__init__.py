"""The built-in operators, as plain functions: ``from fsops.operators import weight_by_sam``.

They are listed in ``__init__.pyi``. A module is loaded when one of its operators is first needed:
loading all of them takes longer than most small runs.
"""

import lazy_loader

from fsops.core.declare.renames import with_earlier_keys

_present, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__getattr__ = with_earlier_keys(_present, __all__)
