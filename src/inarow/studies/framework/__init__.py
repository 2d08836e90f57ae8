"""How a study is declared, run and stored."""
