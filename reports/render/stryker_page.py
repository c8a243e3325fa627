"""Stryker's own report page as one file: the component that shows its format inlined, beside the data of a run."""

import hashlib
import json
from functools import cache
from html import escape
from importlib import resources

from acidtest.reports.render.html.clean import clean
from acidtest.reports.render.html.document import script_data
from acidtest.reports.render.stryker import stryker_document
from acidtest.reports.render.verdict import alerts, headline
from acidtest.reports.run_files import RunFiles
from acidtest.reports.run_report import RunReport

COMPONENT, VERSION = "mutation-testing-elements", "3.9.0"
SCRIPT, LICENCE = "mutation-test-elements.js", "LICENSE.mutation-testing-elements"
DIGEST = "751fb010242b0b44e32d84fe7fe0b9ff1da182823b94f59f5c52b001fcfc163b"
_STYLE = """
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; }
header { padding: .75rem 1rem; background: #18202c; color: #fff; }
header p, header ul { margin: .25rem 0; }
mutation-test-report-app { display: block; padding: 0 1rem 1rem; }
header .verdict { font-weight: 700; font-size: 1.1rem; }
"""
_START = """
const app = document.querySelector("mutation-test-report-app");
const paint = () => { document.body.style.backgroundColor = app.themeBackgroundColor; };
app.addEventListener("theme-changed", paint);
app.report = JSON.parse(document.getElementById("report").textContent);
paint();
"""
_POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; font-src data:"


def stryker_page(report: RunReport, files: RunFiles) -> str:
    """Return the page: the verdict in our words, then the component with all that Stryker's format can say.

    Raises:
        ValueError: the component that lies here is not the one that was looked at.
    """
    told = [" ".join([alert.title, ", ".join(alert.lines)]) for alert in alerts(report)]
    lines = [f"<li>{_told(line)}</li>" for line in told]
    listed = f"<ul>{''.join(lines)}</ul>" if lines else ""
    data = script_data(json.loads(stryker_document(report, files)))
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<title>{_told(headline(report.summary))} (acidtest)</title>
<style>{_STYLE}</style>
<!-- {COMPONENT} {VERSION}, inlined below, is under this licence:
{_licence()}
-->
<script>{_component()}</script>
</head>
<body>
<header><p class="verdict">{_told(headline(report.summary))}</p>{listed}</header>
<mutation-test-report-app title-postfix="acidtest"></mutation-test-report-app>
<script type="application/json" id="report">{data}</script>
<script>{_START}</script>
</body>
</html>
"""


def _told(text: str) -> str:
    return escape(clean(text))


@cache
def _component() -> str:
    text = _vendored(SCRIPT)
    if hashlib.sha256(text.encode()).hexdigest() != DIGEST:
        raise ValueError(f"{SCRIPT}: not {COMPONENT} {VERSION}; take it in anew, as render/vendor/README.md says")
    if any(mark in text.lower() for mark in ("</script", "<script")):
        raise ValueError(f"{SCRIPT}: holds a script element's tag, which would end the element that it is put into")
    return text


@cache
def _licence() -> str:
    text = _vendored(LICENCE)
    if "--" in text:
        raise ValueError(f"{LICENCE}: holds '--', which would end the comment that it is put into")
    return text


def _vendored(name: str) -> str:
    return resources.files("acidtest.reports.render").joinpath("vendor", name).read_text("utf-8")
