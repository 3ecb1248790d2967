"""How similar repeated feature selections are."""
