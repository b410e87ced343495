"""The version of the distribution; read by the build as well, so it stays a plain literal."""

__version__ = "0.1.0"
