"""Pages that a person opens in a browser: one file each, complete in itself, that asks nobody for anything."""
