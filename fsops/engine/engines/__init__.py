"""The engines that come with fsops."""
