// Sentences about a match in progress; its state is the server's description of the session.

import { letter } from "./dom.js";

/** @param {Api.SessionInfo} state */
export const hinted = (state) => `Hint: ${state.hint.why || state.hint.move + 1}.`;

/** @param {Api.SessionInfo} state */
export const failed = (state) => `That failed (${state.failure}); try again.`;

/** An agent's effort for its latest move, and its remark. @param {Api.SessionInfo} state */
export function noted(state) {
  const last = state.played.findLast((one) => !state.seats[one.player].person);
  if (!last || !(last.note || last.effort)) return "";
  const effort = last.effort ? ` (${last.effort}, ${last.seconds.toFixed(1)} s)` : "";
  return `${state.seats[last.player].name} played ${last.move + 1}${effort}. ${last.note}`.trim();
}

/** Return true if exactly one person plays. @param {Api.SessionInfo} state */
const alone = (state) => state.seats.filter((seat) => seat.person).length === 1;

/**
 * The name of a participant. @param {Api.SessionInfo} state
 * @param {{person: boolean, name: string, participant: number}} seat
 */
export function called(state, seat) {
  if (seat.name) return seat.name;
  return alone(state) ? "You" : `Player ${["one", "two"][seat.participant]}`;
}

/**
 * Who is to move, or who has won. @param {Api.SessionInfo} state
 * @param {number | null} [mine] the seat of this page, if a guest has the other
 */
export function status(state, mine = null) {
  if (state.ending) {
    const winner = state.ending.winner;
    if (winner !== null && alone(state))
      return state.seats[winner].person ? "You win." : `${state.seats[winner].name} wins.`;
    return state.ending.text;
  }
  const seat = state.seats[state.position.to_move];
  if (state.paused && !state.failure) return "Paused.";
  if (state.thinking !== null) return `${state.seats[state.thinking].name} is thinking …`;
  if (seat.person && mine !== null)
    return mine === state.position.to_move ? `Your move (${letter(mine)}).` : "Your friend is to move.";
  if (seat.person && !alone(state)) return `${called(state, seat)} (${letter(state.position.to_move)}) is to move.`;
  return seat.person ? `Your move (${letter(state.position.to_move)}).` : `${seat.name} is to move.`;
}

/** The score of a series. @param {Api.SessionInfo} state */
function scores(state) {
  if (state.matches <= 1 && state.number <= 1) return "";
  const won = state.seats.map((seat) => `${called(state, seat)} ${state.score[seat.participant]}`);
  return `Matches won: ${won.join(", ")}.`;
}

/**
 * Describe the change between two states for screen readers. @param {Api.SessionInfo} before
 * @param {Api.SessionInfo} state
 */
export function changes(before, state) {
  if (!before || before.id !== state.id || before.version === state.version) return "";
  const words = [];
  const fresh = state.number !== before.number;
  const shorter = state.played.length < before.played.length;
  if (fresh || (shorter && !state.can_redo))
    words.push(
      `New match: ${state.seats.map((seat, player) => `${letter(player)} is ${called(state, seat)}`).join(", ")}.`,
    );
  else if (shorter) words.push(`Taken back to move ${state.position.ply}.`);
  if (state.paused !== before.paused && !state.failure && !state.ending)
    words.push(state.paused ? "Paused." : "Going on.");
  for (const one of state.played.slice(fresh ? 0 : before.played.length))
    words.push(`${called(state, state.seats[one.player])} played ${one.move + 1}.`, one.note);
  if (state.ending && (fresh || !before.ending)) words.push(status(state), scores(state));
  else if (state.awaits_person && words.length) words.push(status(state));
  if (state.hint && !before.hint) words.push(hinted(state));
  if (state.failure && !before.failure) words.push(failed(state));
  return words.filter(Boolean).join(" ");
}
