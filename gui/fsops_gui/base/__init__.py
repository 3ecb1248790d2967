"""The lowest layer: texts, colours, icons, settings, actions, and work in the background."""
