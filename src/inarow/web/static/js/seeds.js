// Seeds derived by name and streams of random numbers: those of Python's `randomness`, so that a seed decides the same
// matches in the browser.

const IV = [
  0x6a09e667f3bcc908n, 0xbb67ae8584caa73bn, 0x3c6ef372fe94f82bn, 0xa54ff53a5f1d36f1n, 0x510e527fade682d1n,
  0x9b05688c2b3e6c1fn, 0x1f83d9abfb41bd6bn, 0x5be0cd19137e2179n,
]; // prettier-ignore
const SIGMA = [
  "0123456789abcdef", "ea489fd61c02b753", "b8c052fdae367194", "7931dcbe265a40f8", "905724afe1bc683d",
  "2c6a0b834d75fe19",
  "c51fed4a0763928b", "db7ec13950f4862a", "6fe9b308c2d714a5", "a2847615fb9e3cd0",
]; // prettier-ignore
const LANES = ["048c", "159d", "26ae", "37bf", "05af", "16bc", "278d", "349e"];
const BLOCK = 128;

/** @param {string} hex @returns {number[]} */
const digits = (hex) => [...hex].map((digit) => parseInt(digit, 16));

/** BLAKE2b of a short string, eight bytes, as a number. @param {Uint8Array} text at most 128 bytes
 * @returns {bigint} */
function blake2b(text) {
  const block = new Uint8Array(BLOCK);
  block.set(text);
  const words = new BigUint64Array(block.buffer);
  const start = BigUint64Array.from(IV);
  start[0] ^= 0x01010008n; // eight bytes, no key
  const v = BigUint64Array.from([...start, ...IV]);
  v[12] ^= BigInt(text.length);
  v[14] = ~v[14]; // the last block
  const turn = (/** @type {bigint} */ x, /** @type {bigint} */ by) => (x >> by) | (x << (64n - by));
  for (let round = 0; round < 12; round++) {
    const order = digits(SIGMA[round % 10]);
    LANES.forEach((lane, at) => {
      const [a, b, c, d] = digits(lane);
      v[a] += v[b] + words[order[2 * at]];
      v[d] = turn(v[d] ^ v[a], 32n);
      v[c] += v[d];
      v[b] = turn(v[b] ^ v[c], 24n);
      v[a] += v[b] + words[order[2 * at + 1]];
      v[d] = turn(v[d] ^ v[a], 16n);
      v[c] += v[d];
      v[b] = turn(v[b] ^ v[c], 63n);
    });
  }
  const found = new DataView(new ArrayBuffer(8));
  found.setBigUint64(0, start[0] ^ v[0] ^ v[8], true);
  return found.getBigUint64(0);
}

/** Derive the seed of a part of a run. @param {number | bigint} seed @param {(string | number)[]} names */
export function derive(seed, ...names) {
  return BigInt.asUintN(63, blake2b(new TextEncoder().encode([seed, ...names].join("/"))));
}

/** A stream of random numbers. */
export class Stream {
  /** @param {import("./wasm.js").Kernels} kernels with the bundle "rules" @param {bigint} seed */
  constructor(kernels, seed) {
    this.kernels = kernels;
    this.state = kernels.call("randomness.mix", seed);
  }

  /** @returns {bigint} in [0, 2**63) */
  number() {
    this.state = this.kernels.call("randomness.advance", this.state);
    return this.kernels.call("randomness.mix", this.state);
  }

  /** @returns {number} in [0, 1) */
  uniform() {
    return Number(this.number() >> 10n) / 2 ** 53;
  }

  /** @param {number} n @returns {number} in [0, n) */
  below(n) {
    return Number(this.kernels.call("randomness.below", this.number(), n));
  }
}
