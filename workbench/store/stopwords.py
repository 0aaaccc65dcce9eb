"""Words that say nothing of what a question is about."""

_ENGLISH = """
a about after all also am an and any are aren't as at be because been before being both but by can cannot can't could
did didn't do does doesn't don't each either else ever every few for from get had has have having he her here hers him
his how i i'm if in into is isn't it its it's just let let's like may me might more most much must my no nor not of off
on once one only or other our out over own please same shall she should so some such tell than that that's the their
them then there these they this those through to too under until up us very was wasn't we were what what's when where
which while who who's whom whose why will with won't would you your
"""

# Pairs of characters, because that is what a question is cut into.
_CHINESE = """
什么 什麼 哪些 哪个 哪個 哪里 哪裡 哪一 多少 如何 怎么 怎麼 怎样 怎樣 为什 為什
 是什 是否 是多 是谁 是誰 是哪 有哪 有什 有多 么是 麼是 请问 請問
可以 以及 还是 還是 或者 我们 我們 他们 他們 它们 它們
这个 這個 那个 那個 这些 這些 那些 一个 一個 的是 了什 了多 的什 些是 少是
"""

STOP_WORDS = frozenset((_ENGLISH + _CHINESE).split())
