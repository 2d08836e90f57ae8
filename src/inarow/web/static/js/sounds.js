// Short synthesised sounds, off by default.

import { recall } from "./state.js";

/** @type {AudioContext | null} */
let context = null;

const NOTES = {
  move: [[220, 0, 0.07]],
  win: [
    [523, 0, 0.12],
    [659, 0.12, 0.12],
    [784, 0.24, 0.25],
  ],
  loss: [
    [330, 0, 0.15],
    [247, 0.15, 0.3],
  ],
  draw: [[392, 0, 0.2]],
};

/** @param {"move" | "win" | "loss" | "draw"} name */
export function play(name) {
  if (!recall().sound) return;
  context = context || new AudioContext();
  for (const [frequency, at, length] of NOTES[name]) tone(context, frequency, context.currentTime + at, length);
}

function tone(audio, frequency, start, length) {
  const [oscillator, volume] = [audio.createOscillator(), audio.createGain()];
  oscillator.type = "triangle";
  oscillator.frequency.value = frequency;
  volume.gain.setValueAtTime(0.16, start);
  volume.gain.exponentialRampToValueAtTime(0.001, start + length);
  oscillator.connect(volume).connect(audio.destination);
  oscillator.start(start);
  oscillator.stop(start + length);
}
