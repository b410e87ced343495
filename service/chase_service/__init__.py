"""Chase Fast as a gRPC service: other programs ask about positions and let the engine play.

The contract stands in ``proto/chase/v1``, the description in ``docs/service.md``.
"""
