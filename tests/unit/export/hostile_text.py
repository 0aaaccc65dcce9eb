"""Texts that attempt to be interpreted as markup or code, for every format."""

from hypothesis import strategies as st

HOSTILE = (
    '</details></w:t></w:r><script>alert(1)</script>"\'>\n<img src="http://x/y" onerror=alert(1)>'
    "<iframe src=file:///etc/passwd></iframe> ]]> --> <?php ?> &amp; &#x202e; \u202ereversed\x00\x1b[31m"
    "{{7*7}} =cmd|' /C calc'!A0 ![p](http://x/p.png) [run](javascript:alert(1)) [file](file:///etc/passwd)"
    " [data](data:text/html,x) <style>@import url(http://x/z)</style> \ud800 \ufffe"
)
PLACES = ("quote", "name", "question", "answer", "title")
TEXTS = st.text(
    st.sampled_from("ab1 \n\t`*_[]()<>|~$&#!\\-+=.:^/\"';%{}") | st.characters(blacklist_categories=()), max_size=80
)
