// Kernels of inarow, compiled to WebAssembly: memory, records, arrays and calls, as the manifest describes them.
//
// Integers of 64 bits are BigInt, in results, fields and arrays; arguments may be numbers. The functions and their
// types come from kernels.json.

/** @typedef {string | null | Type[] | {record?: string, tuple?: string, array?: string, dimensions?: number}} Type */
/** @typedef {{type?: string, shape?: number[], reference?: string, offset: number}} Field */
/** @typedef {{bundle: string, export: string, parameters: Record<string, Type>, result: Type}} Version */
/**
 * @typedef {object} Manifest
 * @property {number} heap @property {number} stack @property {string[]} traced @property {string[]} events
 * @property {Record<string, Version[]>} functions
 * @property {Record<string, {size: number, fields: Record<string, Field>}>} records
 * @property {Record<string, Record<string, Type>>} tuples
 * @property {Record<string, Record<string, any>>} constants numbers, or strings where a number would not be exact
 */

const PAGE = 65536;

/** @type {Record<string, any>} */
const VIEWS = {
  int64: BigInt64Array,
  float64: Float64Array,
  float32: Float32Array,
  int32: Int32Array,
  uint32: Uint32Array,
  uint16: Uint16Array,
  int8: Int8Array,
  uint8: Uint8Array,
  bool: Uint8Array,
};

/** A set of bits as their indices. @param {bigint} set @returns {number[]} */
export function members(set) {
  const found = [];
  for (let index = 0; set !== 0n; index++, set >>= 1n) if (set & 1n) found.push(index);
  return found;
}

/** @param {number[]} indices @returns {bigint} */
export const setOf = (indices) => indices.reduce((set, index) => set | (1n << BigInt(index)), 0n);

/** Memory, and the modules that share it. */
export class Kernels {
  /** @param {Manifest} manifest @param {number} [reserved] bytes for what `keep` makes, taken only when written */
  constructor(manifest, reserved = 0) {
    this.manifest = manifest;
    this.constants = manifest.constants;
    this.memory = new WebAssembly.Memory({ initial: Math.ceil(manifest.heap / PAGE) });
    this.top = manifest.heap + reserved;
    this.end = Infinity; // of the memory that may be allocated now
    this.written = this.top; // memory from here on was never used: it is zero
    this.kept = { top: manifest.heap, end: this.top, made: /** @type {Map<string, any>} */ (new Map()) };
    /** Return true if a search must stop; polled. @type {() => boolean} */
    this.raised = () => false;
    /** Receives the events of traced kernels: a method for each. @type {Record<string, Function>} */
    this.recorder = {};
    /** @type {any[]} */
    this.told = [];
    /** @type {Record<string, any>} */
    this.modules = {};
    /** @type {Record<string, any>} */
    this.classes = {};
    const tell = (/** @type {any} */ value) => void this.told.push(value);
    this.imports = {
      env: {
        memory: this.memory,
        raised: () => (this.raised() ? 1n : 0n),
        event_int: tell,
        event_float: tell,
        event_address: tell,
        event_bool: (/** @type {number} */ value) => tell(value !== 0),
        event: (/** @type {number} */ number) => {
          const values = this.told;
          this.told = [];
          this.recorder[manifest.events[number]]?.(...values);
        },
      },
    };
  }

  /** Load the module of a bundle. @param {string} bundle @param {BufferSource} bytes */
  async load(bundle, bytes) {
    this.modules[bundle] = (await WebAssembly.instantiate(bytes, this.imports)).instance.exports;
  }

  /**
   * Call a function, such as "rules.look". Arrays are those of `array`, or lists and typed arrays, which are copied for
   * the call; records are those of `record`, or addresses; named tuples are objects with their fields.
   * @param {string} name @param {any[]} given @returns {any}
   */
  call(name, ...given) {
    return this.run(name, false, given);
  }

  /** Call a function and pass its events to the recorder. @param {Record<string, Function>} recorder
   * @param {string} name @param {any[]} given @returns {any} */
  traced(recorder, name, ...given) {
    this.recorder = recorder;
    this.told = [];
    return this.run(name, true, given);
  }

  /** @param {string} name @param {boolean} traced @param {any[]} given */
  run(name, traced, given) {
    const version = this.version(name, traced, given);
    const module = this.modules[version.bundle];
    if (!module) throw new Error(`${name}: the kernels "${version.bundle}" are not loaded`);
    const { result } = version;
    const mark = this.mark();
    try {
      const kinds = this.numbers(result);
      const place = kinds.length > 1 ? this.allocate(8 * kinds.length) : 0;
      /** @type {any[]} */
      const words = kinds.length > 1 ? [place] : [];
      const types = Object.values(version.parameters);
      given.forEach((value, i) => this.push(words, types[i], value));
      const found = module[version.export](...words);
      const view = new DataView(this.memory.buffer, place);
      const read = (/** @type {string} */ kind, /** @type {number} */ i) =>
        kind === "float64" ? view.getFloat64(8 * i, true) : view.getBigInt64(8 * i, true);
      return this.value(result, kinds.length > 1 ? kinds.map(read).values() : [found].values());
    } finally {
      module.stack.value = this.manifest.stack; // an exception of a recorder did not restore it
      this.release(mark);
    }
  }

  /** The version of a function for these arguments; null stands for an absent optional one.
   * @param {string} name @param {boolean} traced @param {any[]} given @returns {Version} */
  version(name, traced, given) {
    const found = (this.manifest.functions[name] || []).find(({ bundle, parameters }) => {
      const types = Object.values(parameters);
      const fit = types.length === given.length && types.every((type, i) => this.fits(type, given[i]));
      return fit && this.manifest.traced.includes(bundle) === traced;
    });
    if (!found) throw new Error(`there is no kernel ${name} for ${given.length} such arguments`);
    return found;
  }

  /** Return true if a value fits a type; arrays differ by their element type. @param {Type} type @param {any} value
   * @returns {boolean} */
  fits(type, value) {
    if (type === null || value == null) return type === null && value == null;
    if (typeof type === "string" || Array.isArray(type) || type.record) return true;
    if (type.array) return !(value instanceof KernelArray) || value.type === type.array;
    return Object.entries(this.manifest.tuples[type.tuple]).every(([name, one]) => this.fits(one, value[name]));
  }

  /** The WebAssembly types of a result. @param {Type} type @returns {string[]} */
  numbers(type) {
    if (type === null) return [];
    if (typeof type === "string") return [type];
    return Object.values(Array.isArray(type) ? type : this.manifest.tuples[type.tuple]).flatMap((one) =>
      this.numbers(one),
    );
  }

  /** Append the words of an argument. @param {any[]} words @param {Type} type @param {any} value */
  push(words, type, value) {
    if (type === null) return;
    if (typeof type === "string") {
      words.push(type === "int64" ? BigInt(value) : Number(value));
    } else if (Array.isArray(type)) {
      type.forEach((part, i) => this.push(words, part, value[i]));
    } else if (type.tuple) {
      for (const [field, part] of Object.entries(this.manifest.tuples[type.tuple]))
        this.push(words, part, value[field]);
    } else if (type.record) {
      words.push(value.address ?? value);
    } else {
      const array = value instanceof KernelArray ? value : this.copied(/** @type {string} */ (type.array), value);
      if (array.type !== type.array || array.shape.length !== type.dimensions)
        throw new Error(`expected an array of ${type.array} with ${type.dimensions} dimensions`);
      words.push(array.address, ...array.shape.map(BigInt));
    }
  }

  /** A value made of words. @param {Type} type @param {Iterator<any>} words @returns {any} */
  value(type, words) {
    if (type === null) return null;
    if (type === "bool") return Boolean(words.next().value);
    if (typeof type === "string") return words.next().value;
    if (Array.isArray(type)) return type.map((part) => this.value(part, words));
    const fields = Object.entries(this.manifest.tuples[type.tuple]);
    return Object.fromEntries(fields.map(([name, part]) => [name, this.value(part, words)]));
  }

  /** Allocate memory, aligned to 16 bytes and not cleared. @param {number} bytes */
  allocate(bytes) {
    const address = Math.ceil(this.top / 16) * 16;
    if (address + bytes > this.end) throw new RangeError("no memory is left for data that is kept");
    const missing = address + bytes - this.memory.buffer.byteLength;
    if (missing > 0) this.memory.grow(Math.ceil(missing / PAGE));
    this.top = address + bytes;
    this.written = Math.max(this.written, this.top);
    return address;
  }

  /** Allocate memory of zeros. @param {number} bytes */
  cleared(bytes) {
    const { written } = this;
    const address = this.allocate(bytes);
    if (address < written) new Uint8Array(this.memory.buffer, address, Math.min(bytes, written - address)).fill(0);
    return address;
  }

  /** What `make` returns, made once for this name, in memory that `release` does not free.
   * @template T @param {string} name @param {() => T} make @returns {T} */
  keep(name, make) {
    const { kept, top } = this;
    if (!kept.made.has(name)) {
      [this.top, this.end] = [kept.top, kept.end];
      try {
        kept.made.set(name, make());
        kept.top = this.top;
      } finally {
        [this.top, this.end] = [top, Infinity];
      }
    }
    return kept.made.get(name);
  }

  /** Mark the current end of the memory in use; `release` frees everything allocated afterwards. */
  mark() {
    return this.top;
  }

  /** Free what has been allocated since the mark. @param {number} mark */
  release(mark) {
    this.top = mark;
  }

  /** A new array of zeros. @param {string} type of its elements: a number, or a record @param {number[]} shape */
  array(type, ...shape) {
    const size = this.manifest.records[type]?.size ?? VIEWS[type].BYTES_PER_ELEMENT;
    const bytes = size * shape.reduce((product, length) => product * length, 1);
    return new KernelArray(this, type, this.cleared(bytes), shape);
  }

  /** An array with these contents. @param {string} type @param {Iterable<any> & {length: number}} values */
  copied(type, values) {
    const array = this.array(type, values.length);
    array.data.set(type === "int64" ? BigInt64Array.from(values, BigInt) : values);
    return array;
  }

  /** A new record, all zeros; its fields are attributes. @param {string} name @returns {any} */
  record(name) {
    return this.at(name, this.cleared(this.manifest.records[name].size));
  }

  /** The record at an address. @param {string} name @param {number} address @returns {any} */
  at(name, address) {
    this.classes[name] ??= recordClass(this, this.manifest.records[name].fields);
    return new this.classes[name](address);
  }
}

/** An array in the memory of kernels. */
export class KernelArray {
  /** @param {Kernels} kernels @param {string} type @param {number} address @param {number[]} shape */
  constructor(kernels, type, address, shape) {
    this.kernels = kernels;
    this.type = type;
    this.address = address;
    this.shape = shape;
    this.length = shape.reduce((product, length) => product * length, 1);
  }

  /** The elements, one dimension after another. Read them again after each allocation. @returns {any} */
  get data() {
    return new VIEWS[this.type](this.kernels.memory.buffer, this.address, this.length);
  }

  /** An element of an array of records. @param {number} index @returns {any} */
  at(index) {
    return this.kernels.at(this.type, this.address + index * this.kernels.manifest.records[this.type].size);
  }
}

/** A class with an attribute for each field of a record. @param {Kernels} kernels
 * @param {Record<string, Field>} fields */
function recordClass(kernels, fields) {
  const made = class {
    /** @param {number} address */
    constructor(address) {
      this.address = address;
    }
  };
  for (const [name, field] of Object.entries(fields))
    Object.defineProperty(made.prototype, name, attribute(kernels, field));
  return made;
}

/** @param {Kernels} kernels @param {Field} field @returns {PropertyDescriptor & ThisType<{address: number}>} */
function attribute(kernels, { type = "", shape, reference, offset }) {
  if (reference !== undefined)
    return {
      get() {
        const [address, length] = new BigInt64Array(kernels.memory.buffer, this.address + offset, 2);
        return new KernelArray(kernels, reference, Number(address), [Number(length)]);
      },
      /** @param {KernelArray} array */
      set(array) {
        new BigInt64Array(kernels.memory.buffer, this.address + offset, 2).set([
          BigInt(array.address),
          BigInt(array.length),
        ]);
      },
    };
  if (shape)
    return {
      get() {
        return new KernelArray(kernels, type, this.address + offset, shape);
      },
    };
  const view = (/** @type {number} */ address) => new VIEWS[type](kernels.memory.buffer, address + offset, 1);
  return {
    get() {
      const [value] = view(this.address);
      return type === "bool" ? value !== 0 : value;
    },
    /** @param {any} value */
    set(value) {
      view(this.address)[0] = type === "int64" ? BigInt(value) : value;
    },
  };
}
