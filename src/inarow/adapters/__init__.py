"""inarow's games and agents in other projects' interfaces, and theirs in ours.

Every module is independent and imports the other project only when it is itself imported: PettingZoo and
Gymnasium (``inarow[rl]``), OpenSpiel (``inarow[openspiel]``), notebooks (``inarow[notebook]``). The batch of boards,
notations, datasets and Kaggle files need nothing besides inarow.
"""
