"""Summary of a passage's way through a search: one sentence for the user, and advice on how to find it."""

from collections.abc import Sequence

from workbench.language import mark
from workbench.model.explanation import Account, Advice, AdviceKind, ListKind, ListPlace, QuestionWord, Stage
from workbench.model.hit import SearchResult

# Words named in a sentence; the diagram shows all of them.
_NAMED = 3
# A list with a lower weight did not influence the result.
_LEAST_WEIGHT = 0.05
_OPENINGS = (
    mark("It was not compared, and {0}."),
    mark("It was not compared, and {0}: {1}."),
    mark("It came {0}, and {1}."),
    mark("It came {0}, and {1}: {2}."),
    mark(
        "It stands too deep in the lists to be compared (the first {0} of each are); it would have come {1}, and {2}."
    ),
    mark(
        "It stands too deep in the lists to be compared (the first {0} of each are); it would have come {1}, and {2}:"
        " {3}."
    ),
    mark("It says the same as “{0}”, which came {1}; of equal texts only one is given."),
    mark("It says the same as “{0}”, {1}, which came {2}; of equal texts only one is given."),
    mark("It says the same as “{0}”, which was not given either; of equal texts only one is given."),
    mark("It says the same as “{0}”, {1}, which was not given either; of equal texts only one is given."),
)
"""Sentences that are composed below, marked for translation, as are those in the next constants."""
_REASONS = (
    mark("its meaning is the nearest of {0:d}"),
    mark("its meaning is the {0} nearest of {1:d}"),
    mark("its meaning is only the {0} nearest of {1:d}"),
    mark("its meaning counts for little, because the embedding model hardly understands this question"),
    mark("its meaning is less near than that of every passage given"),
    mark("its meaning, though the {0} nearest, does not outweigh that"),
    mark("your question names its document"),
    mark("the reranker, which read it beside the question, put it {0}"),
    mark("the words of your question are all in it, but others hold them more often or in less text"),
    mark("the words of your question are all in it, but others hold them more often or in less text ({0} by words)"),
)
_WITH_WORDS = (
    mark("{0:d} were given"),
    mark("“{0}” of your question is in it"),
    mark("“{0}” and “{1}” of your question are in it"),
    mark("“{0}”, “{1}” and “{2}” of your question are in it"),
    mark("“{0}”, “{1}”, “{2}” and 1 more word of your question are in it"),
    mark("“{0}”, “{1}”, “{2}” and {3} more words of your question are in it"),
    mark("“{0}” of your question is not in it"),
    mark("“{0}” and “{1}” of your question are not in it"),
    mark("“{0}”, “{1}” and “{2}” of your question are not in it"),
    mark("“{0}”, “{1}”, “{2}” and 1 more word of your question are not in it"),
    mark("“{0}”, “{1}”, “{2}” and {3} more words of your question are not in it"),
    mark("“{0}” is not in it."),
    mark("“{0}” and “{1}” are not in it."),
    mark("“{0}”, “{1}” and “{2}” are not in it."),
    mark("“{0}”, “{1}”, “{2}” and 1 more word are not in it."),
    mark("“{0}”, “{1}”, “{2}” and {3} more words are not in it."),
)
_RESTRICTIONS = (
    mark("the knowledge base “{0}”"),
    mark("the knowledge base “{0}” and “{1}”"),
    mark("the knowledge base “{0}” and “{1}” and “{2}”"),
    mark("“{0}” and “{1}”"),
    mark("“{0}” and “{1}” and “{2}”"),
)


def sentence(account: Account, result: SearchResult) -> str:
    """Return an explanation for the user."""
    given = len(result.hits)
    match account.stage:
        case Stage.FILTERED:
            restriction = " and ".join(account.left_out_by) or mark("other passages")
            return mark(f"It was left out before anything was compared: the search was restricted to {restriction}.")
        case Stage.FOLDED:
            return _describe_folded(account)
        case Stage.FOUND:
            return mark(f"It came {ordinal(account.rank or 0)} of the {given} given: {_explain_found(account)}.")
        case Stage.BELOW_FLOOR if account.certainty is None:
            return _describe_withheld(account, result)
        case Stage.BELOW_FLOOR:
            return mark(
                f"It was given, {ordinal(account.rank or 0)} of {given}, but no sentence in it answers surely enough to"
                f" be quoted: {account.certainty or 0:.2f}, where {account.floor:.2f} is asked for."
            )
        case Stage.NO_VECTOR:
            first = mark("It has no vector yet, so only its words could be compared.")
            return f"{first} {_describe_rank(account, given)}."
    why = _explain_not_found(account)
    return f"{_describe_rank(account, given)}{': ' + why if why else ''}."


def advice(account: Account) -> list[Advice]:
    """Return remedies, the most reliable first; those that need another search are not included."""
    match account.stage:
        case Stage.FILTERED:
            return [Advice(AdviceKind.WIDEN, mark("Search without this restriction."))]
        case Stage.NO_VECTOR:
            text = mark("Wait until all vectors are made: the status bar tells how far it is.")
            return [Advice(AdviceKind.WAIT, text)]
        case Stage.BELOW_FLOOR:
            missing = [word for word in _sort_by_weight(account.words) if not word.is_held]
            without = f" {_quote_words(missing)} {'are' if len(missing) > 1 else 'is'} not in it." if missing else ""
            text = mark("Ask for it in the words of the document.")
            return [Advice(AdviceKind.ASK_OTHERWISE, f"{text}{without}")]
    return []


def ordinal(number: int) -> str:
    """Return a number as an ordinal: "1st", "12th", "1,023rd"."""
    ending = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number:,}{ending}"


def is_reached(account: Account) -> bool:
    """Return True if one of the lists ranked the chunk among those that were compared."""
    return any(one.rank is not None and one.rank <= one.looked_at for one in account.lists)


def _describe_rank(account: Account, given: int) -> str:
    gave = f"{given} were given"
    if given < 2:
        gave = mark("1 was given") if given else mark("nothing was given")
    if account.rank is None:
        return f"It was not compared, and {gave}"
    place = ordinal(account.rank)
    if is_reached(account):
        return f"It came {place}, and {gave}"
    depth = max((one.looked_at for one in account.lists), default=0)
    deep = f"It stands too deep in the lists to be compared (the first {depth} of each are)"
    return f"{deep}; it would have come {place}, and {gave}"


def _describe_withheld(account: Account, result: SearchResult) -> str:
    best = max((hit.scores.relevance for hit in result.hits), default=0.0)
    return mark(
        f"It came {ordinal(account.rank or 0)} of the {len(result.hits)} found, and none of them was offered for an"
        f" answer: the most relevant has {best:.2f}, where {account.floor:.2f} is asked for."
    )


def _describe_folded(account: Account) -> str:
    twin = account.same_as
    if twin is None:
        return mark("It says the same as another passage, which stands in its place.")
    where = ", ".join(part for part in (f"“{twin.document_name}”", twin.place) if part)
    given = f"which came {ordinal(twin.rank)}" if twin.rank else "which was not given either"
    return f"It says the same as {where}, {given}; of equal texts only one is given."


def _explain_found(account: Account) -> str:
    reasons = []
    held = [word for word in _sort_by_weight(account.words) if word.is_held]
    if held:
        reasons.append(f"{_quote_words(held)} of your question {'are' if len(held) > 1 else 'is'} in it")
    meaning = account.in_list(ListKind.MEANING)
    if meaning is not None and meaning.rank is not None and meaning.weight >= _LEAST_WEIGHT:
        nearest = "the nearest" if meaning.rank == 1 else f"the {ordinal(meaning.rank)} nearest"
        reasons.append(f"its meaning is {nearest} of {meaning.size:,}")
    if account.named:
        reasons.append("your question names its document")
    return ", and ".join(reasons) or mark("nothing else was nearer")


def _explain_not_found(account: Account) -> str:
    meaning = account.in_list(ListKind.MEANING)
    reasons = [
        one for one in (_describe_words(account), _describe_meaning(meaning), _describe_reranker(account)) if one
    ]
    return ", and ".join(reasons)


def _describe_reranker(account: Account) -> str:
    if account.rerank_rank is None:
        return ""
    return f"the reranker, which read it beside the question, put it {ordinal(account.rerank_rank)}"


def _describe_words(account: Account) -> str:
    place = account.in_list(ListKind.WORDS)
    if place is None or not account.words:
        return ""
    missing = [word for word in _sort_by_weight(account.words) if not word.is_held]
    if len(missing) == len(account.words):
        return mark("none of the words of your question is in it")
    if missing:
        return f"{_quote_words(missing)} of your question {'are' if len(missing) > 1 else 'is'} not in it"
    by_words = f" ({ordinal(place.rank)} by words)" if place.rank else ""
    return f"the words of your question are all in it, but others hold them more often or in less text{by_words}"


def _describe_meaning(place: ListPlace | None) -> str:
    if place is None or place.rank is None:
        return ""
    if place.weight < _LEAST_WEIGHT:
        return "its meaning counts for little, because the embedding model hardly understands this question"
    if not place.given or place.rank > place.given[-1]:
        return "its meaning is less near than that of every passage given" if place.given else ""
    if place.rank < place.given[0]:
        return f"its meaning, though the {ordinal(place.rank)} nearest, does not outweigh that"
    return f"its meaning is only the {ordinal(place.rank)} nearest of {place.size:,}"


def _sort_by_weight(words: Sequence[QuestionWord]) -> list[QuestionWord]:
    return sorted(words, key=lambda word: -word.share)


def _quote_words(words: Sequence[QuestionWord]) -> str:
    shown = [f"“{word.text}”" for word in words[:_NAMED]]
    if len(words) > _NAMED:
        shown.append(f"{len(words) - _NAMED} more {'word' if len(words) == _NAMED + 1 else 'words'}")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
