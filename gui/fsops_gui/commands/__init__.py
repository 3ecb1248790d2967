"""The commands of the menus, a module for each menu; `base.actions` lists them."""
