"""The service under load: ``python -m tests.bench.service``, on a quiet machine, loopback only."""
