/** How a quantity was written, and will be printed: `1k`, `1Ki` or `1e3`. */
export type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent'

/** An invalid quantity. The message is Kubernetes' own. */
export class QuantityError extends Error {
  override readonly name = 'QuantityError'
  readonly code: 'format' | 'numeric' | 'suffix'

  constructor(code: 'format' | 'numeric' | 'suffix') {
    super(
      {
        format: "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
        numeric: 'unable to parse numeric part of quantity',
        suffix: "unable to parse quantity's suffix",
      }[code],
    )
    this.code = code
  }
}

const maxInt64 = 2n ** 63n - 1n
const nano = -9
// No sensible quantity is longer; longer ones would only use CPU time.
const maxTextLength = 4096

/**
 * An exact number: `mantissa × 10^scale`, in steps of one billionth. Immutable; arithmetic returns new quantities.
 * `toString` is the canonical form, except for texts that Kubernetes keeps as written (`1500Mi`, `1.500`).
 */
export class Quantity {
  readonly format: QuantityFormat
  readonly #mantissa: bigint
  readonly #scale: number
  #text: string | undefined
  #value: number | undefined
  #milli: number | undefined

  constructor(mantissa: bigint, scale: number, format: QuantityFormat, text?: string) {
    this.#mantissa = mantissa
    this.#scale = scale
    this.format = format
    this.#text = text
  }

  static readonly zero = new Quantity(0n, 0, 'DecimalSI', '0')

  /** A whole number, times `10^scale`. */
  static of(value: number | bigint, format: QuantityFormat = 'DecimalSI', scale = 0): Quantity {
    return new Quantity(BigInt(value), scale, format)
  }

  /** Thousandths: `Quantity.milli(1500)` is `1500m`. */
  static milli(value: number | bigint, format: QuantityFormat = 'DecimalSI'): Quantity {
    return new Quantity(BigInt(value), -3, format)
  }

  sign(): -1 | 0 | 1 {
    return this.#mantissa > 0n ? 1 : this.#mantissa < 0n ? -1 : 0
  }

  isZero(): boolean {
    return this.#mantissa === 0n
  }

  /** True if it has no fraction. */
  isWhole(): boolean {
    return this.#scale >= 0 || this.#mantissa % 10n ** BigInt(-this.#scale) === 0n
  }

  /** The integer, rounded away from zero. Beyond 2^53 the nearest double; never beyond int64. */
  value(): number {
    this.#value ??= Number(this.scaledValue(0))
    return this.#value
  }

  /** Thousandths, rounded away from zero. Beyond 2^53 the nearest double; never beyond int64. */
  milliValue(): number {
    this.#milli ??= Number(this.scaledValue(-3))
    return this.#milli
  }

  /** The number of `10^scale` steps, exact, rounded away from zero, at most what int64 holds. */
  scaledValue(scale: number): bigint {
    const shift = this.#scale - scale
    if (shift >= 0) {
      if (this.#mantissa === 0n) return 0n
      return shift > 20 ? this.#limit() : clamp(this.#mantissa * 10n ** BigInt(shift))
    }
    return clamp(shrink(this.#mantissa, -shift))
  }

  #limit(): bigint {
    return this.#mantissa < 0n ? -maxInt64 : maxInt64
  }

  /** The nearest double. */
  toNumber(): number {
    return this.#scale === 0 ? Number(this.#mantissa) : Number(`${this.#mantissa}e${this.#scale}`)
  }

  compare(other: Quantity): -1 | 0 | 1 {
    const a = this.#mantissa
    const b = other.#mantissa
    if (this.#scale === other.#scale) return a < b ? -1 : a > b ? 1 : 0
    const signs = this.sign() - other.sign()
    if (signs !== 0) return signs < 0 ? -1 : 1
    if (a === 0n) return 0
    const gap = this.#scale - other.#scale
    if (Math.abs(gap) > 40) {
      const lengths = digits(a) + this.#scale - digits(b) - other.#scale
      if (lengths !== 0) return lengths > 0 === a > 0n ? 1 : -1
      if (Math.abs(gap) > 2 * maxTextLength) return 0
    }
    const left = gap > 0 ? a * 10n ** BigInt(gap) : a
    const right = gap < 0 ? b * 10n ** BigInt(-gap) : b
    return left < right ? -1 : left > right ? 1 : 0
  }

  equals(other: Quantity): boolean {
    return this.compare(other) === 0
  }

  add(other: Quantity): Quantity {
    const format = this.isZero() ? other.format : this.format
    const gap = this.#scale - other.#scale
    if (gap === 0) return new Quantity(this.#mantissa + other.#mantissa, this.#scale, format)
    if (other.isZero()) return new Quantity(this.#mantissa, this.#scale, format)
    if (this.isZero()) return new Quantity(other.#mantissa, other.#scale, format)
    // The smaller one is negligible in any sensible total.
    if (Math.abs(gap) > 2 * maxTextLength) return gap > 0 ? this : other
    return gap > 0
      ? new Quantity(this.#mantissa * 10n ** BigInt(gap) + other.#mantissa, other.#scale, format)
      : new Quantity(this.#mantissa + other.#mantissa * 10n ** BigInt(-gap), this.#scale, format)
  }

  sub(other: Quantity): Quantity {
    return this.add(other.neg())
  }

  neg(): Quantity {
    return new Quantity(-this.#mantissa, this.#scale, this.format)
  }

  /** The same amount in another format. */
  withFormat(format: QuantityFormat): Quantity {
    return new Quantity(this.#mantissa, this.#scale, format)
  }

  toString(): string {
    this.#text ??= this.#canonical()
    return this.#text
  }

  toJSON(): string {
    return this.toString()
  }

  #canonical(): string {
    if (this.#mantissa === 0n) return '0'
    if (this.format === 'BinarySI') {
      const binary = this.#binary()
      if (binary !== undefined) return binary
    }
    let mantissa = this.#mantissa
    let exponent = this.#scale
    while (mantissa % 10n === 0n) {
      mantissa /= 10n
      exponent++
    }
    const over = ((exponent % 3) + 3) % 3
    mantissa *= 10n ** BigInt(over)
    exponent -= over
    if (this.format === 'DecimalExponent') return exponent === 0 ? `${mantissa}` : `${mantissa}e${exponent}`
    if (exponent > 18) {
      // Kubernetes drops the suffix here, and with it the amount.
      if (exponent > maxTextLength) return `${mantissa}e${exponent}`
      return `${mantissa * 10n ** BigInt(exponent - 18)}E`
    }
    return `${mantissa}${decimalSuffixes[exponent / 3 + 3]}`
  }

  /** Undefined if the amount would lose precision, or is too small for a binary suffix. */
  #binary(): string | undefined {
    if (this.#scale > 2 * maxTextLength) return undefined
    const exact = this.#scale >= 0 ? this.#mantissa * 10n ** BigInt(this.#scale) : this.#mantissa / 10n ** BigInt(-this.#scale)
    if (this.#scale < 0 && exact * 10n ** BigInt(-this.#scale) !== this.#mantissa) return undefined
    if (exact > -1024n && exact < 1024n) return undefined
    let left = exact
    let step = 0
    while (step < 6 && left % 1024n === 0n) {
      left /= 1024n
      step++
    }
    return `${left}${binarySuffixes[step]}`
  }
}

const decimalSuffixes = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E']
const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei']
const decimalExponents = new Map(decimalSuffixes.map((suffix, i) => [suffix, (i - 3) * 3]))
const binaryExponents = new Map(binarySuffixes.slice(1).map((suffix, i) => [suffix, (i + 1) * 10]))

const clamp = (n: bigint): bigint => (n > maxInt64 ? maxInt64 : n < -maxInt64 - 1n ? -maxInt64 - 1n : n)
const digits = (n: bigint): number => (n < 0n ? -n : n).toString().length

/** Divides by `10^places`, rounding away from zero. */
function shrink(n: bigint, places: number): bigint {
  if (n === 0n) return 0n
  if (places > maxTextLength + 20) return n > 0n ? 1n : -1n
  const divisor = 10n ** BigInt(places)
  const whole = n / divisor
  if (whole * divisor === n) return whole
  return n > 0n ? whole + 1n : whole - 1n
}

/**
 * Texts that were parsed lately, in two generations: when the young one is full, it replaces the old one. Decoding parses each
 * quantity of an object; what looks at all of them afterwards, in one turn, finds those of the largest object that can be stored.
 */
let young = new Map<string, Quantity>()
let old = new Map<string, Quantity>()
const generationSize = 65_536

/**
 * Parses a quantity as Kubernetes does; surrounding spaces are ignored. More than nine decimals are rounded up.
 * Quantities are shared: equal texts give the same object.
 * @throws {QuantityError} on anything else
 * @example parseQuantity('0.5').toString() === '500m'
 */
export function parseQuantity(input: string | number | bigint): Quantity {
  const text = typeof input === 'string' ? input : String(input)
  const known = young.get(text)
  if (known !== undefined) return known
  const quantity = old.get(text) ?? parse(text.trim())
  if (text.length <= 32) keep(text, quantity)
  return quantity
}

function keep(text: string, quantity: Quantity): void {
  if (young.size >= generationSize) {
    old = young
    young = new Map()
  }
  young.set(text, quantity)
}

/** The quantity, or undefined for an invalid text. */
export function tryParseQuantity(input: string | number | bigint): Quantity | undefined {
  try {
    return parseQuantity(input)
  } catch (error) {
    if (error instanceof QuantityError) return undefined
    throw error
  }
}

const shape = /^([+-]?)([0-9]*)(\.[0-9]*)?((?:[eEinumkKMGTP]+[-+]?[0-9]*|[-+][0-9]*)?)$/

function parse(text: string): Quantity {
  if (text === '' || text.length > maxTextLength) throw new QuantityError(text === '' ? 'format' : 'numeric')
  const match = shape.exec(text)
  if (match === null) throw new QuantityError('format')
  const [, sign, leading = '', point, suffix = ''] = match
  const first = leading.search(/[1-9]/)
  const whole = first < 0 ? '0' : leading.slice(first)
  const fraction = point === undefined ? '' : point.slice(1)
  const unit = readSuffix(suffix)
  const shifted = whole + fraction
  const negative = sign === '-'
  const kept = keepsText(whole, fraction, shifted, unit) ? text : undefined
  if (unit.format === 'BinarySI') return parseBinary(BigInt(shifted), fraction.length, unit.exponent, negative, kept, hasDigits(text))
  const mantissa = BigInt(shifted)
  const scale = unit.exponent - fraction.length
  if (kept === undefined && !hasDigits(text) && mayBeSlow(shifted, scale)) throw new QuantityError('numeric')
  const rounded = scale < nano ? shrink(mantissa, nano - scale) : mantissa
  return new Quantity(negative ? -rounded : rounded, Math.max(scale, nano), unit.format, kept)
}

/** Kubernetes' exact parser requires a digit; its fast path does not. */
const hasDigits = (text: string): boolean => /^[+-]?\.?[0-9]/.test(text)
const mayBeSlow = (shifted: string, scale: number): boolean => shifted.length > 18 || scale < nano

function parseBinary(
  number: bigint,
  decimals: number,
  exponent: number,
  negative: boolean,
  kept: string | undefined,
  numeric: boolean,
): Quantity {
  if (!numeric && exponent > 40) throw new QuantityError('numeric')
  let mantissa = number << BigInt(exponent)
  let scale = -decimals
  if (scale < nano) {
    mantissa = shrink(mantissa, nano - scale)
    scale = nano
  }
  const one = 10n ** BigInt(-scale)
  const slow = decimals > 0 || 15 - number.toString().length - Math.trunc((exponent * 3) / 10) - 1 < 0
  if (slow && mantissa > maxInt64 * one) {
    mantissa = maxInt64
    scale = 0
  }
  const format = mantissa > 0n && mantissa < one ? 'DecimalSI' : 'BinarySI'
  return new Quantity(negative ? -mantissa : mantissa, scale, format, kept)
}

/** True for texts that Kubernetes' fast path takes for canonical and keeps. */
function keepsText(whole: string, fraction: string, shifted: string, unit: Unit): boolean {
  if (unit.format === 'BinarySI') {
    const room = 15 - whole.length - Math.trunc((unit.exponent * 3) / 10) - 1
    return fraction === '' && room >= 0 && Number(shifted) % 8 !== 0
  }
  const scale = unit.exponent - fraction.length
  return shifted.length <= 18 && scale >= nano && scale % 3 === 0 && !shifted.endsWith('000') && !shifted.startsWith('0')
}

interface Unit {
  readonly format: QuantityFormat
  readonly exponent: number
}

function readSuffix(suffix: string): Unit {
  const decimal = decimalExponents.get(suffix)
  if (decimal !== undefined) return { format: 'DecimalSI', exponent: decimal }
  const binary = binaryExponents.get(suffix)
  if (binary !== undefined) return { format: 'BinarySI', exponent: binary }
  if (!/^[eE][-+]?[0-9]+$/.test(suffix)) throw new QuantityError('suffix')
  const exponent = BigInt(suffix.slice(suffix[1] === '+' ? 2 : 1))
  if (exponent > maxInt64 || exponent < -maxInt64 - 1n) throw new QuantityError('suffix')
  return { format: 'DecimalExponent', exponent: Number(BigInt.asIntN(32, exponent)) }
}
