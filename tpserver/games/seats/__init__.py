"""Seats: their players, absences and agreements."""
