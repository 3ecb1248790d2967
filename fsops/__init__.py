"""Feature selection as operators: build processes from Python, XML or a canvas, and trust them.

The public names are listed in ``__init__.pyi`` and loaded when first used, so ``import fsops``
costs next to nothing.
"""

import lazy_loader

from fsops.data.flow import Presenter as _Presenter, presenter as _presenter
from fsops.version import __version__ as __version__

__getattr__, _, _names = lazy_loader.attach_stub(__name__, __file__)

# IPython looks for the first one, and plugins may import the others; few users need them.
_UNLISTED = {"load_ipython_extension", "KnifePath", "SizeCurves"}

__all__ = ["__version__", *(name for name in _names if name not in _UNLISTED)]  # noqa: PLE0604


def __dir__() -> list[str]:
    return sorted(__all__)


def _notebook_presenter() -> _Presenter:
    from fsops.report.notebook import NotebookPresenter

    return NotebookPresenter()


# The one place where results, at the bottom, meet the packages that show them.
_presenter.open_with(_notebook_presenter)
