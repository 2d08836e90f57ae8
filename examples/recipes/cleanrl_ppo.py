"""In the style of CleanRL: PPO with masks in one file, on the vector environment. It needs PyTorch (`make recipes`)."""

import sys

import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical

from inarow.adapters.gymnasium import VectorBoardEnv

BOARDS, STEPS, EPOCHS, CLIP, GAMMA, LAMBDA = 512, 32, 4, 0.2, 0.99, 0.95
updates = int(sys.argv[1]) if len(sys.argv) > 1 else 50
torch.manual_seed(1)

envs = VectorBoardEnv("connect4", BOARDS, opponent="random")
body = nn.Sequential(nn.Flatten(), nn.Linear(84, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU())
actor, critic = nn.Linear(128, 7), nn.Linear(128, 1)
learner = torch.optim.Adam([*body.parameters(), *actor.parameters(), *critic.parameters()], lr=1e-3)


def look(seen):
    """The distribution over legal moves, and the value, of every board."""
    hidden = body(seen["observation"].float())
    return Categorical(logits=actor(hidden).masked_fill(seen["action_mask"] == 0, -1e9)), critic(hidden).squeeze(1)


def tensors(seen):
    return {name: torch.from_numpy(part) for name, part in seen.items()}


seen = tensors(envs.reset(seed=1)[0])
for update in range(updates):
    rows, points = [], []
    for _ in range(STEPS):
        with torch.no_grad():
            chances, value = look(seen)
            action = chances.sample()
        after, reward, ended, _, _ = envs.step(action.numpy())
        rows.append((seen, action, chances.log_prob(action), value, torch.from_numpy(reward), torch.from_numpy(ended)))
        points.extend(((reward[ended] + 1) / 2).tolist())
        seen = tensors(after)
    with torch.no_grad():
        following = look(seen)[1]
    gain, gains = torch.zeros(BOARDS), []
    for _, _, _, value, reward, ended in reversed(rows):
        going_on = (~ended).float()
        gain = reward + GAMMA * following * going_on - value + GAMMA * LAMBDA * going_on * gain
        gains.insert(0, gain)
        following = value
    gain = torch.cat(gains)
    action, before, value = (torch.cat([row[i] for row in rows]) for i in (1, 2, 3))
    boards = {name: torch.cat([row[0][name] for row in rows]) for name in seen}
    for _ in range(EPOCHS):
        chances, now = look(boards)
        ratio = (chances.log_prob(action) - before).exp()
        scaled = (gain - gain.mean()) / (gain.std() + 1e-8)
        surrogate = torch.min(ratio * scaled, ratio.clamp(1 - CLIP, 1 + CLIP) * scaled).mean()
        loss = -surrogate + 0.5 * ((value + gain - now) ** 2).mean() - 0.01 * chances.entropy().mean()
        learner.zero_grad()
        loss.backward()
        learner.step()
    if update % 10 == 0 or update == updates - 1:
        print(f"update {update}: {np.mean(points):.2f} points for each match")
