"""The style sheet of an exported page: calm on a screen, light and dark, and fit to be printed."""

from workbench.export.rendering import DARK_CODE, LIGHT_CODE, code_css

_STYLE = """
:root {
  color-scheme: light dark;
  --ground: #fbfbfa; --paper: #ffffff; --ink: #1d2127; --soft: #5c6570; --line: #e1e4e8;
  --accent: #1f6f78; --accent-soft: #e3f0f1; --mark: #fff4cf; --warn: #a4401f; --warn-soft: #fbeae4;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #16191d; --paper: #1d2126; --ink: #e6e8eb; --soft: #9ba4af; --line: #333a42;
    --accent: #6cc3cb; --accent-soft: #1f3a3d; --mark: #3d3720; --warn: #f0a184; --warn-soft: #40261d;
  }
}
* { box-sizing: border-box; }
html { scroll-behavior: smooth; }
body {
  margin: 0; background: var(--ground); color: var(--ink);
  font: 16px/1.62 "Inter", "Segoe UI", system-ui, -apple-system, "Noto Sans", "Noto Sans CJK SC", sans-serif;
}
main, header.page, footer.page { max-width: 54rem; margin: 0 auto; padding: 0 1.5rem; }
header.page { padding-top: 3rem; }
header.page h1 { font-size: 1.9rem; line-height: 1.25; margin: 0 0 .4rem; letter-spacing: -.01em; }
footer.page { padding-bottom: 3rem; color: var(--soft); font-size: .85rem; }
.meta { color: var(--soft); font-size: .88rem; margin: 0; }
article {
  background: var(--paper); border: 1px solid var(--line); border-radius: 12px;
  padding: 1.6rem 1.9rem; margin: 1.6rem 0;
}
article > h2 { font-size: 1.2rem; line-height: 1.4; margin: 0 0 .3rem; white-space: pre-wrap; }
.number { color: var(--accent); margin-right: .5rem; }
.answer { margin: 1.1rem 0 .6rem; overflow-wrap: anywhere; }
.answer h1, .answer h2, .answer h3, .answer h4 { font-size: 1.05rem; margin: 1.2em 0 .4em; }
.answer blockquote { margin: .8em 0; padding: .1em 1em; border-left: 3px solid var(--line); color: var(--soft); }
.answer a { color: var(--accent); }
.code pre, pre.data {
  background: var(--ground); border: 1px solid var(--line); border-radius: 8px;
  padding: .8rem 1rem; overflow-x: auto; font-size: .86rem; line-height: 1.5;
}
code, pre { font-family: "JetBrains Mono", "Cascadia Code", "SF Mono", "DejaVu Sans Mono", monospace; }
pre.data { white-space: pre-wrap; overflow-wrap: anywhere; margin: .4rem 0; }
table { border-collapse: collapse; width: 100%; font-size: .88rem; margin: .6rem 0 1rem; }
th, td { border-bottom: 1px solid var(--line); padding: .35rem .6rem; text-align: left; vertical-align: top; }
th { color: var(--soft); font-weight: 600; }
td.score, th.score { text-align: right; font-variant-numeric: tabular-nums; }
.scroll { overflow-x: auto; }
sup.cite { line-height: 0; margin: 0 .12em; white-space: nowrap; }
sup.cite a, .tag {
  display: inline-block; min-width: 1.5em; padding: .32em .42em; border-radius: 6px; line-height: 1;
  background: var(--accent-soft); color: var(--accent); font-size: .74rem; font-weight: 600;
  text-align: center; text-decoration: none; font-variant-numeric: tabular-nums;
}
sup.cite a:hover, sup.cite a:focus-visible { background: var(--accent); color: var(--paper); }
.invalid { color: var(--warn); background: var(--warn-soft); border-radius: 6px; padding: 0 .35em; font-size: .84em; }
.remark { color: var(--warn); background: var(--warn-soft); border-radius: 8px; padding: .6rem .9rem; margin: .8rem 0; }
section.documents { font-size: .85rem; color: var(--soft); overflow-wrap: anywhere; }
section.documents strong { color: var(--ink); }
section.sources h3, section.documents h3 {
  font-size: .82rem; letter-spacing: .06em; text-transform: uppercase; color: var(--soft);
}
ol.sources { list-style: none; padding: 0; margin: 0; display: grid; gap: .8rem; }
ol.sources > li { border: 1px solid var(--line); border-radius: 10px; padding: .9rem 1.1rem; scroll-margin: 1rem; }
ol.sources > li:target { border-color: var(--accent); box-shadow: 0 0 0 3px var(--accent-soft); }
.where { margin: 0; font-weight: 600; overflow-wrap: anywhere; }
.where .tag { margin-right: .5rem; vertical-align: .1em; }
.back { color: var(--soft); text-decoration: none; font-weight: 400; margin-left: .4rem; }
blockquote.quote {
  margin: .6rem 0; padding: .55rem .9rem; background: var(--mark); border-radius: 6px;
  white-space: pre-wrap; overflow-wrap: anywhere;
}
blockquote.flowing { white-space: normal; }
.sources img { display: block; max-width: 100%; border: 1px solid var(--line); border-radius: 6px; background: #fff; }
details { border-top: 1px solid var(--line); padding: .6rem 0 0; margin-top: .8rem; }
summary { cursor: pointer; color: var(--soft); font-size: .9rem; }
summary:hover { color: var(--ink); }
.sources details { border: 0; padding: 0; margin-top: .4rem; }
.sources details img { margin-top: .6rem; }
ol.steps { padding-left: 1.4rem; font-size: .92rem; overflow-wrap: anywhere; }
ol.steps li { margin: .7rem 0; }
ol.steps .time { color: var(--soft); font-size: .82rem; margin-left: .4rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem .9rem; margin: .3rem 0; }
dt { color: var(--soft); }
dd { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
.query { font-weight: 600; }
@media print {
  :root { --ground: #fff; --paper: #fff; --ink: #000; --soft: #444; --line: #bbb; --accent: #14545b;
    --accent-soft: #eef5f5; --mark: #fbf6e3; --warn: #7c2d12; --warn-soft: #fff; }
  body { font-size: 10.5pt; }
  main, header.page, footer.page { max-width: none; padding: 0; }
  article { border: 0; border-top: 1px solid #999; border-radius: 0; padding: 1rem 0; }
  ol.steps li, tr, blockquote, img { break-inside: avoid; }
  h2, h3, summary, .where { break-after: avoid; }
  .back { display: none; }
  .sources img { max-height: 14cm; }
  details::details-content { content-visibility: visible; block-size: auto; }
}
"""


def style_sheet() -> str:
    """Return the whole sheet, the colours of code included."""
    return f"{_STYLE}{code_css(LIGHT_CODE)}\n@media (prefers-color-scheme: dark) {{\n{code_css(DARK_CODE)}\n}}\n"
