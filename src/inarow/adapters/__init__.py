"""inarow's games and agents in other projects' interfaces, and theirs in ours.

Every module here stands alone and imports the other project only when the module itself is imported: PettingZoo and
Gymnasium (``inarow[rl]``), OpenSpiel (``inarow[openspiel]``), notebooks (``inarow[notebook]``). The batch of boards,
notations, datasets and Kaggle files need nothing besides inarow.
"""
