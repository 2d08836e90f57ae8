"""A position as text and as a picture: terminal, reports and notebooks draw from here."""
