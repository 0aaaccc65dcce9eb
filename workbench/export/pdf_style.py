"""The style sheet of an exported PDF, in the part of CSS that MuPDF lays out.

No box with a ground or a line at its side has padding above or below: MuPDF draws that much of it again at the top of
each page that follows.
"""

STYLE = """
body { font-family: sans-serif; font-size: 9.5pt; line-height: 1.45; color: #1d2127; }
h1 { font-size: 19pt; line-height: 1.25; margin: 0 0 4pt 0; }
h2 { font-size: 13pt; line-height: 1.35; margin: 14pt 0 2pt 0; color: #17565d; }
h3 { font-size: 11pt; margin: 12pt 0 3pt 0; }
h4 { font-size: 9.5pt; margin: 10pt 0 3pt 0; color: #5c6570; }
h5 { font-size: 10.5pt; margin: 8pt 0 2pt 0; }
p { margin: 4pt 0; }
ul, ol { margin: 4pt 0; }
li p { margin: 1pt 0; }
.meta { color: #5c6570; font-size: 8pt; margin: 1pt 0; }
a:link { color: #17565d; }
sup.cite { font-size: 7pt; }
sup.cite a:link { text-decoration: none; font-weight: bold; }
.where { margin: 8pt 0 0 0; }
.remark { color: #8a3318; margin: 5pt 0; }
.invalid { color: #8a3318; }
blockquote { margin: 3pt 0 3pt 0; padding: 0 0 0 8pt; border-left: 2pt solid #c9d6d8; color: #33393f; }
table { border-collapse: collapse; width: 100%; font-size: 8.5pt; margin: 5pt 0; }
th, td { border-bottom: 0.5pt solid #b8bec5; padding: 2.5pt 5pt; text-align: left; vertical-align: top; }
th { color: #5c6570; }
td.score, th.score { text-align: right; }
.code, pre.data { background-color: #f0f2f4; padding: 0 6pt; margin: 5pt 0; }
pre { font-family: monospace; font-size: 8pt; line-height: 1.35; white-space: pre-wrap; margin: 0; }
code { font-family: monospace; font-size: 8.5pt; }
dl { margin: 2pt 0; font-size: 8.5pt; }
dt { color: #5c6570; }
dd { margin: 0 0 2pt 10pt; }
.time { color: #5c6570; font-size: 8pt; margin-left: 5pt; }
ol.steps { font-size: 9pt; }
p.page { margin: 4pt 0 10pt 0; }
p.page img { width: 330pt; border: 0.5pt solid #b8bec5; }
"""
