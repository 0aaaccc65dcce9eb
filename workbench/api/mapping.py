"""The map of a library as data: where each passage stands, and what those that stand together speak of."""

from collections.abc import Callable

from workbench import operations
from workbench.api.arguments import context
from workbench.api.sources import Texts
from workbench.api.waiting import Awaited, Waiting, waited
from workbench.model.map import MapOutlook, MapPassage, MapProgress, MapState
from workbench.model.options import known_options, texts_of
from workbench.worker.job import JobContext

OnMapEvent = Callable[[MapProgress], object] | None


@known_options
class AsyncMap(Awaited):
    """The passages of a library as points in a plane, what is alike close together; library.map."""

    async def get(self, *, redraw: bool = False, on_event: OnMapEvent = None) -> MapOutlook:
        """Return the map; it is drawn first where there is none, or where enough has changed since.

        result.map.points is float32 [n, 2], within the circle of radius 1, y upwards; result.map.ids is int64 [n], the
        numbers of the passages; result.map.regions has the topics with their words, the largest first. Drawing 100,000
        passages takes 15 s of one processor.

        Args:
            redraw: Lay out all passages again, even where little has changed.
            on_event: Told how far the drawing is.

        Returns:
            Its state says why map is None: no documents, no vectors yet, or no embedding model.

        Raises:
            IndexUnavailable: It could not be drawn.
        """
        outlook = await operations.library_map(self._opened)(JobContext())
        if redraw or outlook.state in (MapState.NOT_DRAWN, MapState.OUTDATED):
            outlook = await operations.draw_map(self._opened)(context(on_event))
        return outlook

    async def place(self, questions: Texts) -> tuple[tuple[float, float], ...]:
        """Return where questions stand on the map, x and y, in their order; nothing where there is no map."""
        return await operations.place_on_map(self._opened, texts_of("questions", questions))(JobContext())

    async def passage(self, chunk: int) -> MapPassage:
        """Return a point as people read it: the passage, its document and page.

        Raises:
            NotFound: The passage is no longer in the library.
        """
        return await operations.passage_on_map(self._opened, chunk)(JobContext())


class Map(Waiting[AsyncMap]):
    """The passages of a library as points in a plane, what is alike close together; library.map."""

    get = waited(AsyncMap.get)
    place = waited(AsyncMap.place)
    passage = waited(AsyncMap.passage)
