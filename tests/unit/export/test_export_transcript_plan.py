"""Plan of an answer in exports."""

from export_session import made_run, made_session

from workbench.export.base import ExportContext
from workbench.export.html import HtmlExporter
from workbench.export.markdown import MarkdownExporter
from workbench.export.run_transcript import steps
from workbench.model.run import PlanStepEnded, StepState


def test_e43_the_plan_and_what_each_step_came_to_are_listed() -> None:
    plan, done, skipped = [step for step in steps(made_run()) if step.kind == "plan"]
    assert plan.fields == (
        ("Step 1", "Find the depth"),
        ("Step 2", "Compare it with survey.pdf"),
        ("Finish", "Say both"),
    )
    assert (done.title, done.fields) == ("Step 1: Find the depth", (("Result", "The channel is dredged to 14.2 m."),))
    assert (skipped.milliseconds, skipped.fields) == (None, (("Skipped", "No round was left."),))


def test_e43_people_read_it_in_markdown_and_html(context: ExportContext) -> None:
    markdown = MarkdownExporter().render(made_session(made_run(name="a <b>.pdf")), context).decode()
    assert "**plan** Step 2: Compare it with a \\<b\\>.pdf" in markdown
    html = HtmlExporter().render(made_session(made_run(name="a <b>.pdf")), context).decode()
    assert "<strong>plan</strong> Step 2: Compare it with a &lt;b&gt;.pdf" in html


def test_a_step_that_failed_is_marked() -> None:
    run = made_run()
    failed = PlanStepEnded(1, StepState.FAILED, "The server is gone.", 3.0)
    events = tuple(type(timed)(timed.number, timed.seconds, failed) for timed in run.events[:1])
    assert [step.failed for step in steps(made_run(events=events))] == [True]
