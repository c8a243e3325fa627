"""The command line's group: its settings, its help, and how near a name comes to a command."""

import difflib
import importlib

import click

from acidtest.reports.exits import MEANINGS

_EXITS = "\b\nExit codes:\n" + "\n".join(f"  {code:>3}  {meaning}" for code, meaning in MEANINGS.items())
_SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


_HOMES = {
    **dict.fromkeys(("run", "report"), "cli_run"),
    **dict.fromkeys(("gaps", "strength", "witness", "certify", "mutmut"), "cli_measure"),
    **dict.fromkeys(("grade", "gradescope", "grade-suite", "doctor"), "cli_grade"),
}
"""The module of each command; those of the others, the catalog's and a learner's, are in ``_REST``."""
_REST = "cli_catalog"


class _Commands(click.Group):
    """Imports a command's module when the command is asked for: all of them together take half a second."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.commands:
            importlib.import_module(f"acidtest.reports.{_HOMES.get(cmd_name, _REST)}")
        return super().get_command(ctx, cmd_name)

    def list_commands(self, ctx: click.Context) -> list[str]:
        for home in (*_HOMES.values(), _REST):
            importlib.import_module(f"acidtest.reports.{home}")
        return super().list_commands(ctx)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            near = difflib.get_close_matches(args[0], self.list_commands(ctx), n=2, cutoff=0.5)
            raise click.UsageError(
                f"no command {args[0]!r}" + (f"; did you mean {' or '.join(near)}?" if near else ""), ctx
            )
        return super().resolve_command(ctx, args)


@click.group(cls=_Commands, context_settings=_SETTINGS, epilog=_EXITS)
@click.version_option(package_name="acidtest", message="%(prog)s %(version)s")
def acidtest() -> None:
    """How strong is this test suite? acidtest breaks the code on purpose, in ways that people really do,
    and says which tests notice.

    It works on the project you stand in (its pyproject.toml has a [tool.acidtest]), else on the workload
    that ships: rejection sampling, as speculative decoding uses it.

    \b
    acidtest run                   every mutant against every test that reaches it
    acidtest run --tests my_tests  how strong is my suite?
    acidtest show s01              one mutant: what it does wrong, and who saw it
    """
