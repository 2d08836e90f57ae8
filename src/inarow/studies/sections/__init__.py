"""Page sections that several studies share."""
