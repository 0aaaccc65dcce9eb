"""How fast a model was: in earlier readings, else in its answers."""

from dataclasses import dataclass

from workbench.model.exhaustive import PaceSource
from workbench.store.database import Database
from workbench.store.values import loaded_json, stored_text

# A model reads about so many tokens of a prompt in the time in which it writes one.
READ_FOR_ONE_WRITTEN = 8
# What a passage takes of an answer: {"passage": 3, "says": "nothing"}, and a finding with its quote now and then.
_WRITTEN_A_PASSAGE = 30.0
_ANSWERS = 200


@dataclass(frozen=True, slots=True)
class Pace:
    """What is known of a model's speed.

    Attributes:
        source: Where it is known from.
        per_token: Seconds of an answer for each token that it writes; it reads READ_FOR_ONE_WRITTEN in that time.
        per_passage: Seconds of a reading for each passage, with all that is in it: round trips, calls side by side,
            what was asked again, what was kept; 0 where nothing was read yet.
        written: Tokens that it writes for each passage.
    """

    source: PaceSource = PaceSource.UNKNOWN
    per_token: float = 0.0
    per_passage: float = 0.0
    written: float = _WRITTEN_A_PASSAGE

    def seconds(self, passages: int, input_tokens: float, output_tokens: float) -> float | None:
        """Return how long so many passages take, or so many tokens of them; None where nothing is known."""
        if self.per_passage:
            return self.per_passage * passages
        return self.per_token * _weighed(input_tokens, output_tokens) if self.per_token else None


def pace_of(database: Database, profile: str, model: str) -> Pace:
    """Return how fast the model of a profile was; an empty model is the offline reader."""
    with database.read() as connection:
        took, written, passages = connection.execute(
            "SELECT TOTAL(seconds), TOTAL(output_tokens), TOTAL((SELECT COUNT(*) FROM"
            " reading_passages p WHERE p.reading = r.id)) FROM readings r WHERE profile = ? AND model = ?"
            # One that was killed never said how long it took.
            " AND seconds > 0",
            (stored_text(profile), stored_text(model)),
        ).fetchone()
        if took > 0 and passages > 0:
            return Pace(PaceSource.READINGS, per_passage=took / passages, written=written / passages)
        if not model:
            return Pace(PaceSource.ASSUMED)
        rows = connection.execute(
            "SELECT e.fields FROM run_events e JOIN runs r ON r.id = e.run WHERE r.profile = ?"
            " AND e.type = 'TurnCompleted' ORDER BY e.id DESC LIMIT ?",
            (stored_text(profile), _ANSWERS),
        ).fetchall()
    milliseconds = tokens = 0.0
    for (fields,) in rows:
        turn = loaded_json(fields)
        usage = turn.get("usage") or {}
        weighed = _weighed(usage.get("input_tokens") or 0, usage.get("output_tokens") or 0)
        if weighed:
            milliseconds += turn.get("milliseconds") or 0.0
            tokens += weighed
    return Pace(PaceSource.ANSWERS, milliseconds / 1000 / tokens) if tokens else Pace()


def _weighed(read: float, written: float) -> float:
    return read / READ_FOR_ONE_WRITTEN + written
