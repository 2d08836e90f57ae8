"""Stable-Baselines3: MaskablePPO on the one-seat environment. It needs sb3-contrib, which pulls PyTorch.

The mask comes from the environment's ``action_masks()``. `make recipes` runs this for a few steps.
"""

import sys

import gymnasium
from sb3_contrib import MaskablePPO

import inarow.adapters.gymnasium

steps = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
assert inarow.adapters.gymnasium.IDS  # importing the module registers the environments
env = gymnasium.make("inarow/Connect4-v1", opponent="random")
model = MaskablePPO("MultiInputPolicy", env, verbose=0, seed=1, device="cpu")
model.learn(steps)

wins = 0
for seed in range(50):
    seen, _ = env.reset(seed=seed)
    over = False
    while not over:
        action, _ = model.predict(seen, action_masks=seen["action_mask"].astype(bool), deterministic=True)
        seen, reward, over, _, _ = env.step(action)
    wins += reward == 1
print(f"{wins} of 50 matches won against random play after {steps:,} steps")
