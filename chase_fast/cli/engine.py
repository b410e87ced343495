"""``chase-fast engine``: the protocol on standard input and output."""

from __future__ import annotations

import io
import sys
from typing import Annotated

import typer

from chase_fast.agents.protocol import DEFAULT_PLAYER, run_engine
from chase_fast.cli.options import RulesOption, read_one_rules
from chase_fast.cli.players import read_player


def engine(
    player: Annotated[
        str,
        typer.Option("--player", metavar="PLAYER", help="Who searches; 'chase-fast players'."),
    ] = DEFAULT_PLAYER,
    rules: RulesOption = None,
) -> None:
    """Speak the protocol of docs/protocol.md, for other programs."""
    spec = read_player(player, "--player")
    if spec.kind == "ext":
        raise typer.BadParameter(
            "expected random, greedy, ab or mcts, not another program", param_hint="--player"
        )
    if isinstance(sys.stdin, io.TextIOWrapper):
        # Bytes that are no text are a wrong command, and no reason to end.
        sys.stdin.reconfigure(encoding="utf-8", errors="replace")
    run_engine(sys.stdin, sys.stdout, str(spec), read_one_rules(rules))
