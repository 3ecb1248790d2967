"""The colors of the site: those of reports and of the designer."""

from __future__ import annotations

from fsops.report.html.tokens import variables


def colours(mode: str) -> dict[str, str]:
    """Return the variables of the theme, in the colors of reports and of the designer."""
    token = variables(mode)
    return {
        "font-stack": "Inter, system-ui, sans-serif",
        "color-brand-primary": token["accent-default"],
        "color-brand-content": token["text-link"],
        "color-brand-visited": token["text-link"],
        "color-foreground-primary": token["text-primary"],
        "color-foreground-secondary": token["text-secondary"],
        "color-foreground-muted": token["text-muted"],
        "color-foreground-border": token["border-strong"],
        "color-background-primary": token["surface-panel"],
        "color-background-secondary": token["surface-app"],
        "color-background-hover": token["surface-hover"],
        "color-background-border": token["border-subtle"],
        "color-inline-code-background": token["surface-sunken"],
        "color-card-border": token["border-default"],
        "color-card-background": token["surface-card"],
        "color-table-header-background": token["surface-sunken"],
        "fsops-accent-tint": token["accent-tint"],
        "fsops-picture": variables("light")["surface-panel"],
    }
