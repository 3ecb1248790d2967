"""The lowest layer: texts, colors, icons, settings, actions, and work in the background."""
