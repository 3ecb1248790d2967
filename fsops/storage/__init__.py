"""Files: processes as XML, tables, and the one way to write anything."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
