"""``chase-fast remote``: commands whose work a server does.

They take the options of the local commands of the same names and print what those print. What
needs gRPC is imported when a server is asked, so that help and refusals need it not.
"""

from __future__ import annotations

import typer

from chase_service.remote import analyse, balance, jobs, match, playout
from chase_service.remote.connection import remote_command

__all__ = ["app"]

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Let a server do the work, and print what the local command would (docs/service.md).",
)

for _name, _command in {
    "playout": remote_command(playout.playout),
    "analyse": remote_command(analyse.analyse),
    "match": remote_command(match.match),
    "balance": remote_command(balance.balance),
    "jobs": remote_command(jobs.jobs),
    "watch": remote_command(jobs.watch),
    "cancel": remote_command(jobs.cancel),
    "download": remote_command(jobs.download),
    "delete": remote_command(jobs.delete),
}.items():
    app.command(_name)(_command)
