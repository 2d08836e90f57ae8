"""Tables, figures, sentences and one HTML page: a pure function of what was stored. A report never plays."""
