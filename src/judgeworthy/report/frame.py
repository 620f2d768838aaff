"""The frame around every page: its head, its ways to the others, and where it comes from."""

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined

from judgeworthy.report.provenance import Provenance, versions

# "file:" stands beside 'self' because a page from disk has an origin that is not itself.
POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self' file:",
        "style-src 'self' file:",
        "img-src 'self' file: data:",
        "font-src data:",
        "base-uri 'none'",
        "form-action 'none'",
    ]
)


def render(template: str, title: str, up: str = "", **values: object) -> str:
    """Fill a template.

    Parameters
    ----------
    template : str
        A file in ``templates/``.
    title : str
        Of the page.
    up : str
        The way from the page to the report's folder, such as ``../``.
    **values
        What else the template names.
    """
    made = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    given: Mapping[str, object] = {"policy": POLICY, "versions": versions(), "made": made}
    filled = _templates().get_template(template)
    return filled.render({"provenance": Provenance((), ()), **given, **values}, title=title, up=up)


@cache
def _templates() -> Environment:
    return Environment(
        loader=PackageLoader("judgeworthy.report"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
