"""Code generated from the contract by ``tools/protos.py``; only the package itself is committed."""
