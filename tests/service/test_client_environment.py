"""What the clients leave to the program that uses them: its environment, and what gRPC writes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import trustme

from tests.service.certificates import HOST, Folder
from tests.service.running import PATIENCE, running

pytestmark = pytest.mark.no_core

# Asks a server whose certificate it does not trust; gRPC writes lines of that, unless told not to.
ASKS = """
import os, sys
before = dict(os.environ)
from chase_service.client import Client, ServiceError
assert dict(os.environ) == before
try:
    Client(sys.argv[1], ca=sys.argv[2], attempts=1).version(timeout=30)
except ServiceError as error:
    print(error.code.name)
"""


def test_the_environment_belongs_to_the_program(tmp_path: Path) -> None:
    files, trusted = Folder(tmp_path), tmp_path / "other.pem"
    files.put(trustme.CA().issue_cert(HOST))
    trusted.write_bytes(trustme.CA().cert_pem.bytes())
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GRPC_")}
    with running(tls=files.files) as server:
        told = [
            subprocess.run(
                [sys.executable, "-c", ASKS, server.target, str(trusted)],
                capture_output=True, text=True, timeout=PATIENCE, check=True, env=kept | more,
            )
            for more in ({}, {"GRPC_VERBOSITY": "NONE"})
        ]  # fmt: skip
    assert [one.stdout for one in told] == ["UNAVAILABLE\n"] * 2
    # As docs/service.md says of both.
    assert "CERTIFICATE_VERIFY_FAILED" in told[0].stderr
    assert told[1].stderr == ""
