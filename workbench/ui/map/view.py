"""Which part of the map is looked at: map coordinates <-> pixels."""

from dataclasses import dataclass, replace

WHOLE = 0.47
"""Pixels that a unit of the map takes when all of it is seen, as a share of the shorter side."""

LEAST, MOST = 0.6, 200.0
"""How far one can go off and come near, as a multiple of the whole."""


@dataclass(frozen=True, slots=True)
class View:
    """The map is within the circle of radius 1, its y growing upwards.

    Attributes:
        width: Of the window on it, in pixels.
        x: The place of the map that is in the middle.
        scale: Pixels for a unit of the map.
    """

    width: int
    height: int
    x: float
    y: float
    scale: float

    @classmethod
    def whole(cls, width: int, height: int) -> "View":
        """Return the view of all of it."""
        return cls(width, height, 0.0, 0.0, WHOLE * max(1, min(width, height)))

    @property
    def nearness(self) -> float:
        """How much nearer than the whole it is."""
        return self.scale / View.whole(self.width, self.height).scale

    def pixel(self, x: float, y: float) -> tuple[float, float]:
        """Return where a place of the map is seen."""
        return self.width / 2 + (x - self.x) * self.scale, self.height / 2 - (y - self.y) * self.scale

    def place(self, left: float, top: float) -> tuple[float, float]:
        """Return which place of the map is seen at a pixel."""
        return self.x + (left - self.width / 2) / self.scale, self.y - (top - self.height / 2) / self.scale

    def sized(self, width: int, height: int) -> "View":
        """Return the view through a window of another size, as near as before."""
        scale = self.nearness * View.whole(width, height).scale
        return View(width, height, self.x, self.y, scale)

    def moved(self, right: float, down: float) -> "View":
        """Return the view with the map moved by so many pixels; its middle never leaves the map."""
        return self._on_map(self.x - right / self.scale, self.y + down / self.scale)

    def zoomed(self, factor: float, left: float, top: float) -> "View":
        """Return a nearer view, or one from farther off, in which what is seen at a pixel stays there."""
        whole = View.whole(self.width, self.height).scale
        scale = min(MOST * whole, max(LEAST * whole, self.scale * factor))
        x, y = self.place(left, top)
        near = replace(self, scale=scale)
        return near._on_map(x - (left - self.width / 2) / scale, y + (top - self.height / 2) / scale)

    def around(self, x: float, y: float, radius: float) -> "View":
        """Return the view of a place with so much around it."""
        whole = View.whole(self.width, self.height).scale
        scale = min(MOST * whole, max(LEAST * whole, WHOLE * min(self.width, self.height) / max(radius, 1e-6)))
        return View(self.width, self.height, x, y, scale)

    def widened(self, share: float) -> "View":
        """Return the view with so much more to every side, in shares of the window."""
        return replace(self, width=round(self.width * (1 + 2 * share)), height=round(self.height * (1 + 2 * share)))

    def _on_map(self, x: float, y: float) -> "View":
        return replace(self, x=min(1.0, max(-1.0, x)), y=min(1.0, max(-1.0, y)))
