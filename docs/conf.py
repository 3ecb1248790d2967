"""Settings of the documentation site; `make docs` builds it."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "_extensions"), str(HERE.parent)]

from colours import colours  # noqa: E402  (the folders are on the path only now)

from fsops import __version__  # noqa: E402

project = "fsops"
author = "fsops developers"
copyright = author  # noqa: A001  (Sphinx asks for this name)
version = release = __version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinx_design",
    "myst_nb",
    "operator_reference",
    "formulas",
    "repository_links",
]
exclude_patterns = ["_build", "_extensions", "operator_examples"]
suppress_warnings = [
    "ref.python",  # attributes of two classes may have the same name
]

# --- Markdown ---
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
nb_execution_mode = "force"
nb_execution_timeout = 120
nb_execution_raise_on_error = True
nb_execution_show_tb = True

# --- Python ---
autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_default_options = {"members": True}
napoleon_google_docstring = False

# --- pages ---
html_theme = "furo"
html_title = f"fsops {__version__}"
html_static_path = ["_static", "../gui/fsops_gui/base/inter"]
html_css_files = ["site.css"]
html_logo = "_static/logo.svg"
html_favicon = "_static/logo.svg"
html_theme_options = {
    "light_css_variables": colours("light"),
    "dark_css_variables": colours("dark"),
    "top_of_page_buttons": [],
}
html_copy_source = False
html_show_sourcelink = False
# Formulas without a request to another site: the browser draws MathML.
html_math_renderer = "mathml"
