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
/** A width beyond it is cut: `%999999999d` must not fill the memory. */
const WIDEST = 4096

/** `\n`, `\t`, `\033` and their like. */
export function unescapeText(text: string): string {
  return text.replace(/\\(0?[0-7]{1,3}|x[0-9a-fA-F]{1,2}|.)/gs, (whole, code: string) => {
    if (/^[0-7]/.test(code)) return String.fromCharCode(Number.parseInt(code, 8) & 255)
    if (code.startsWith('x')) return String.fromCharCode(Number.parseInt(code.slice(1), 16))
    return ESCAPES[code] ?? whole
  })
}

/** `printf`: the format is used again until no argument is left. */
export function formatPrintf(format: string, args: readonly string[]): string {
  const left = [...args]
  let out = ''
  do {
    const before = left.length
    out += formatOnce(format, left)
    if (left.length === before) break
  } while (left.length > 0)
  return out
}

function formatOnce(format: string, left: string[]): string {
  return unescapeFormat(format, (flags, width, precision, kind) => {
    if (kind === '%') return '%'
    const w = Math.min(WIDEST, Number(width === '*' ? left.shift() : width) || 0)
    const value = convert(kind, left.shift() ?? '', precision === undefined ? undefined : Math.min(WIDEST, Number(precision)))
    if (flags.includes('-')) return value.padEnd(w)
    if (!flags.includes('0') || kind === 's') return value.padStart(w)
    return value.startsWith('-') ? `-${value.slice(1).padStart(w - 1, '0')}` : value.padStart(w, '0')
  })
}

function unescapeFormat(
  format: string,
  convertOne: (flags: string, width: string, precision: string | undefined, kind: string) => string,
): string {
  let out = ''
  let last = 0
  for (const found of format.matchAll(/%([-+ 0#]*)([1-9]\d*|\*)?(?:\.(\d+))?([%sbcdiuoxXfgeq])/g)) {
    const [whole, flags = '', width = '', precision, kind = ''] = found
    out += unescapeText(format.slice(last, found.index)) + convertOne(flags, width, precision, kind)
    last = found.index + whole.length
  }
  return out + unescapeText(format.slice(last))
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
    case 'e':
    case 'g': {
      const n = Number(value) || 0
      return kind === 'e'
        ? n.toExponential(Math.min(20, precision ?? 6))
        : kind === 'g'
          ? String(n)
          : n.toFixed(Math.min(20, precision ?? 6))
    }
    default: {
      const quoted = value.match(/^['"](.)/s)
      const n = quoted === null ? Math.trunc(Number(value)) || 0 : (quoted[1]?.codePointAt(0) ?? 0)
      if (kind === 'o') return n.toString(8)
      if (kind === 'x' || kind === 'X') return kind === 'x' ? n.toString(16) : n.toString(16).toUpperCase()
      return String(n)
    }
  }
}
