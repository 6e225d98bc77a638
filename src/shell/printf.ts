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

/** What `printf` prints, in pieces: the format is used again until no argument is left. */
export function* printfPieces(format: string, args: readonly string[]): Generator<string> {
  const parts = parseFormat(format)
  const cursor = { args, next: 0 }
  let piece = ''
  do {
    const before = cursor.next
    for (const part of parts) piece += typeof part === 'string' ? part : converted(part, cursor)
    if (cursor.next === before) break
    if (piece.length < PIECE_CHARACTERS) continue
    yield piece
    piece = ''
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
interface Cursor {
  readonly args: readonly string[]
  next: number
}

function converted({ flags, width, precision, kind }: Conversion, cursor: Cursor): string {
  const asked = Number(width === '*' ? cursor.args[cursor.next++] : width) || 0
  const value = convert(kind, cursor.args[cursor.next++] ?? '', precision)
  const padded = Math.min(WIDEST, Math.abs(asked))
  if (flags.includes('-') || asked < 0) return value.padEnd(padded)
  if (!flags.includes('0') || kind === 's') return value.padStart(padded)
  return value.startsWith('-') ? `-${value.slice(1).padStart(padded - 1, '0')}` : value.padStart(padded, '0')
}

function convert(kind: string, value: string, precision: number | undefined): string {
  switch (kind) {
    case 's':
      return precision === undefined ? value : value.slice(0, precision)
    case 'b':
      return unescapeText(value)
    case 'c':
      return value.slice(0, 1)
    case 'q':
      return quoteWord(value)
    case 'f':
      return (Number(value) || 0).toFixed(Math.min(20, precision ?? 6))
    case 'e':
      return (Number(value) || 0).toExponential(Math.min(20, precision ?? 6))
    case 'g':
      return String(Number(value) || 0)
    default:
      return convertInteger(kind, value)
  }
}

/** A quote before a character stands for its code. */
function convertInteger(kind: string, value: string): string {
  const quoted = value.match(/^['"](.)/su)
  const n = quoted === null ? Math.trunc(Number(value)) || 0 : (quoted[1]?.codePointAt(0) ?? 0)
  if (kind === 'o') return n.toString(8)
  if (kind === 'x') return n.toString(16)
  return kind === 'X' ? n.toString(16).toUpperCase() : String(n)
}
