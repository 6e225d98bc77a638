import { sliceCharacters } from './words/characters.ts'
import { quoteWord } from './words/quote-word.ts'

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
  e: '\x1b',
  '\\': '\\',
  '"': '"',
  "'": "'",
}
/** A larger width is cut: `%999999999d` must not fill the memory. */
const WIDEST = 4096
/** What one piece of the output has at least, if more follows. */
const PIECE_CHARACTERS = 8192

/** `\n`, `\t`, `\033` and their like. */
export function unescapeText(text: string): string {
  return text.replace(/\\(0?[0-7]{1,3}|x[0-9a-fA-F]{1,2}|.)/gs, (whole, code: string) => {
    if (/^[0-7]/.test(code)) return String.fromCharCode(Number.parseInt(code, 8) & 255)
    if (code.startsWith('x')) return String.fromCharCode(Number.parseInt(code.slice(1), 16))
    return ESCAPES[code] ?? whole
  })
}

/** `%-5.2f`: `width` may be `*`, which takes an argument. */
interface Conversion {
  readonly flags: string
  readonly width: string
  readonly precision: number | undefined
  readonly kind: string
}

/** What an argument is as each kind of conversion takes it. */
export interface PrintfRules<T> {
  readonly text: (argument: T) => string
  readonly number: (argument: T) => number
  readonly character: (argument: T) => string
}

/** The shell's rules: numbers in C's notation, and a quote before a character means its code. */
const SHELL_RULES: PrintfRules<string> = {
  text: (argument) => argument,
  number(argument) {
    const quoted = argument.match(/^['"](.)/su)
    if (quoted !== null) return quoted[1]?.codePointAt(0) ?? 0
    const [written = '0', sign = '', digits = ''] = argument.match(/^\s*([-+]?)(0[xX][0-9a-fA-F]+|0[0-7]+(?![\d.]))/) ?? []
    if (digits !== '') return (sign === '-' ? -1 : 1) * Number(/x/i.test(digits) ? digits : `0o${digits.slice(1)}`)
    return Number(argument.match(/^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?/)?.[0] ?? written)
  },
  character: (argument) => [...argument.slice(0, 2)][0] ?? '',
}

/** What the shell's `printf` prints, in pieces. */
export function printfPieces(format: string, args: readonly string[]): Generator<string> {
  return formatPieces(format, args, SHELL_RULES)
}

/** The same for arguments of another kind: the format is used again until no argument is left. */
export function* formatPieces<T>(format: string, args: readonly T[], rules: PrintfRules<T>): Generator<string> {
  const parts = parseFormat(format)
  const cursor: Cursor<T> = { args, rules, next: 0 }
  let piece = ''
  do {
    const before = cursor.next
    for (const part of parts) {
      piece += typeof part === 'string' ? part : converted(part, cursor)
      if (piece.length < PIECE_CHARACTERS) continue
      yield piece
      piece = ''
    }
    if (cursor.next === before) break
  } while (cursor.next < args.length)
  yield piece
}

function parseFormat(format: string): readonly (string | Conversion)[] {
  const parts: (string | Conversion)[] = []
  let last = 0
  for (const found of format.matchAll(/%([-+ 0#]*)([1-9]\d*|\*)?(?:\.(\d+))?([%sbcdiuoxXfgeq])/g)) {
    const [whole, flags = '', width = '', precision, kind = ''] = found
    parts.push(unescapeText(format.slice(last, found.index)))
    last = found.index + whole.length
    const most = precision === undefined ? undefined : Math.min(WIDEST, Number(precision))
    parts.push(kind === '%' ? '%' : { flags, width, precision: most, kind })
  }
  return [...parts, unescapeText(format.slice(last))]
}

/** The arguments, and which of them is used next. */
interface Cursor<T> {
  readonly args: readonly T[]
  readonly rules: PrintfRules<T>
  next: number
}

function converted<T>({ flags, width, precision, kind }: Conversion, cursor: Cursor<T>): string {
  const { args, rules } = cursor
  const given = width === '*' ? args[cursor.next++] : undefined
  const requested = given === undefined ? Number(width) || 0 : rules.number(given)
  const value = convert(kind, args[cursor.next++], { rules, precision, flags })
  const padded = Math.min(WIDEST, Math.abs(requested))
  if (flags.includes('-') || requested < 0) return value.padEnd(padded)
  if (!flags.includes('0') || 'sbcq'.includes(kind)) return value.padStart(padded)
  return /^[-+ ]/.test(value) ? value.slice(0, 1) + value.slice(1).padStart(padded - 1, '0') : value.padStart(padded, '0')
}

interface ConvertOptions<T> {
  readonly rules: PrintfRules<T>
  readonly precision: number | undefined
  readonly flags: string
}

function convert<T>(kind: string, argument: T | undefined, { rules, precision, flags }: ConvertOptions<T>): string {
  const text = argument === undefined ? '' : rules.text(argument)
  switch (kind) {
    case 's':
      return precision === undefined ? text : sliceCharacters(text, 0, precision)
    case 'b':
      return unescapeText(text)
    case 'c':
      return argument === undefined ? '' : rules.character(argument)
    case 'q':
      return quoteWord(text)
    default: {
      const number = argument === undefined ? 0 : rules.number(argument) || 0
      const sign = number >= 0 && flags.includes('+') ? '+' : number >= 0 && flags.includes(' ') ? ' ' : ''
      if (/[feg]/.test(kind)) return sign + formatFloat(kind, number, precision)
      const prefix = flags.includes('#') && number !== 0 ? ({ x: '0x', X: '0X', o: '0' }[kind] ?? '') : ''
      return sign + prefix + formatInteger(kind, Math.trunc(number), precision)
    }
  }
}

/** The most digits that JavaScript prints. */
const MOST_DIGITS = 100

function formatFloat(kind: string, number: number, precision = 6): string {
  if (!Number.isFinite(number)) return Number.isNaN(number) ? 'nan' : number > 0 ? 'inf' : '-inf'
  const digits = Math.min(MOST_DIGITS, precision)
  if (kind === 'f') return formatFixed(number, digits)
  return kind === 'e' ? withLongExponent(number.toExponential(digits)) : formatGeneral(number, digits)
}

/** C rounds a number in the middle to the even digit; JavaScript rounds it up. */
function formatFixed(number: number, digits: number): string {
  const scaled = Math.abs(number) * 10 ** digits
  const middle = digits < 16 && scaled % 1 === 0.5 && Math.floor(scaled) % 2 === 0 && scaled / 10 ** digits === Math.abs(number)
  return middle ? (Math.sign(number) * Math.floor(scaled) * 10 ** -digits).toFixed(digits) : number.toFixed(digits)
}

/** `%g`: as few digits as are needed, and an exponent where the number is very small or large. */
export function formatGeneral(number: number, precision: number): string {
  const digits = Math.max(1, precision)
  const [mantissa = '', exponent = '0'] = number.toExponential(digits - 1).split('e')
  if (Number(exponent) < -4 || Number(exponent) >= digits) return withLongExponent(`${Number(mantissa)}e${exponent}`)
  return String(Number(number.toFixed(Math.max(0, Math.min(MOST_DIGITS, digits - 1 - Number(exponent))))))
}

/** C writes at least two digits of an exponent. */
function withLongExponent(text: string): string {
  return text.replace(/e([-+])(\d)$/, 'e$10$2')
}

/** Of 64 bits: a negative number is shown in octal and hexadecimal as its complement. */
function formatInteger(kind: string, number: number, precision = 1): string {
  const value = BigInt(Number.isFinite(number) ? number : 0)
  const shown = 'oxXu'.includes(kind) ? BigInt.asUintN(64, value) : value
  const magnitude = (shown < 0n ? -shown : shown).toString(kind === 'o' ? 8 : /x/i.test(kind) ? 16 : 10).padStart(precision, '0')
  return (shown < 0n ? '-' : '') + (kind === 'X' ? magnitude.toUpperCase() : magnitude)
}
