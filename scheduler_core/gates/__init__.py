"""Feature gates of the emulated versions, and their effects here."""

from scheduler_core.gates.table import Gate, GateError, check_gates, gates_of, gates_text, parse_gates

__all__ = ["Gate", "GateError", "check_gates", "gates_of", "gates_text", "parse_gates"]
