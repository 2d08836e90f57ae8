// Spaced repetition: a missed card is due immediately, a known one after 1, 3, 7, 21 and 60 days.

import { recall, remember } from "./state.js";

const DAYS = [0, 1, 3, 7, 21, 60];
const DAY = 24 * 60 * 60 * 1000;
const MAX_MISTAKES = 100;

/** @returns {Record<string, {box: number, due: number}>} */
const boxes = () => recall().cards || {};

/** @param {any} card */
const key = (card) => `${card.game || "connect4"}/${card.moves.join(",")}`;

/**
 * The cards that are due: missed and known ones whose time has come, then new ones. @param {any[]} cards
 * @param {boolean} repeats only
 */
export function dueCards(cards, repeats = false) {
  const [known, now] = [boxes(), Date.now()];
  const seen = cards.filter((card) => known[key(card)]);
  const due = seen.filter((card) => known[key(card)].due <= now).sort((a, b) => known[key(a)].due - known[key(b)].due);
  return repeats ? due : [...due, ...cards.filter((card) => !known[key(card)])];
}

/** Record an answer. @param {any} card @param {boolean} right */
export function repeated(card, right) {
  const known = boxes();
  const before = known[key(card)];
  const box = right ? Math.min(DAYS.length - 1, (before ? before.box : 0) + 1) : 0;
  const wait = right ? DAYS[box] * DAY : 60 * 1000;
  remember({ cards: { ...known, [key(card)]: { box, due: Date.now() + wait } }, streak: right ? streak() + 1 : 0 });
}

export const streak = () => recall().streak || 0;

export const solvedCount = () => Object.values(boxes()).filter((one) => one.box > 0).length;

/** The mistakes of this browser's player. @returns {any[]} */
export const mistakeCards = () => recall().mistakes || [];

/** Keep a mistake as a card. @param {{game: string, moves: number[], answer: number[], words: string}} card */
export function keepMistake(card) {
  const kept = mistakeCards().filter((one) => key(one) !== key(card));
  remember({ mistakes: [card, ...kept].slice(0, MAX_MISTAKES) });
}
