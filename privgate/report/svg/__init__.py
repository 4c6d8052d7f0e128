"""Charts as accessible inline SVG, made of numbers only.

Colours are attributes, so that a picture stands on its own in print; style sheets may override them
through classes. Each series has its own dash pattern, so that colour is never the only signal.
"""

from privgate.report.svg.bars import IntervalRow, interval_bars, shortened
from privgate.report.svg.chart import PictureSize, chart_picture, swatch
from privgate.report.svg.heat import heat_map
from privgate.report.svg.icon import icon
from privgate.report.svg.plane import PlanePoint, plane_picture

__all__ = [
    "IntervalRow",
    "PictureSize",
    "PlanePoint",
    "chart_picture",
    "heat_map",
    "icon",
    "interval_bars",
    "plane_picture",
    "shortened",
    "swatch",
]
