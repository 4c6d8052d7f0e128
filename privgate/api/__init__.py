"""The Python interface for notebooks and scripts; its names are those of :mod:`privgate`."""
