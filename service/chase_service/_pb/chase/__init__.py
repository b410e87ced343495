"""See `chase_service._pb`."""
