import type { Process, Program } from '../processes/process.ts'
import { writeText } from '../texts.ts'
import { readCommandLine } from './command-line.ts'
import { heldBytes } from './held-lines.ts'
import { eachInput } from './inputs.ts'

const ROW_BYTES = 16
/** What is shown in one turn: whole rows. */
const SLICE_BYTES = 16 << 10

/** How the bytes of a file are shown: a row of 16 bytes with its offset, and the last line. */
interface Layout {
  readonly row: (bytes: Uint8Array, offset: number) => string
  readonly end: (length: number) => string
}

const hex = (n: number, width: number) => n.toString(16).padStart(width, '0')
const octal = (n: number, width: number) => n.toString(8).padStart(width, '0')
const NAMED: Readonly<Record<number, string>> = { 0: '\\0', 7: '\\a', 8: '\\b', 9: '\\t', 10: '\\n', 11: '\\v', 12: '\\f', 13: '\\r' }
const isPrintable = (byte: number) => byte >= 0x20 && byte < 0x7f
const visible = (bytes: Uint8Array) => Array.from(bytes, (byte) => (isPrintable(byte) ? String.fromCharCode(byte) : '.')).join('')
const hexCells = (bytes: Uint8Array) => Array.from(bytes, (byte) => hex(byte, 2))

/** `hexdump -C` */
const CANONICAL: Layout = {
  row(bytes, offset) {
    const cells = hexCells(bytes)
    const [left, right] = [cells.slice(0, 8).join(' '), cells.slice(8).join(' ')]
    return `${hex(offset, 8)}  ${left.padEnd(23)}  ${right.padEnd(23)}  |${visible(bytes)}|\n`
  },
  end: (length) => `${hex(length, 8)}\n`,
}

/** `od -c` */
const CHARACTERS: Layout = {
  row(bytes, offset) {
    const cells = Array.from(bytes, (byte) => NAMED[byte] ?? (isPrintable(byte) ? String.fromCharCode(byte) : octal(byte, 3)))
    return `${octal(offset, 7)} ${cells.map((cell) => cell.padStart(3)).join(' ')}\n`
  },
  end: (length) => `${octal(length, 7)}\n`,
}

/** `od -t x1` */
const OCTETS: Layout = {
  row: (bytes, offset) => `${octal(offset, 7)} ${hexCells(bytes).join(' ')}\n`,
  end: (length) => `${octal(length, 7)}\n`,
}

const XXD: Layout = {
  row(bytes, offset) {
    const pairs =
      Buffer.from(bytes)
        .toString('hex')
        .match(/.{1,4}/g) ?? []
    return `${hex(offset, 8)}: ${pairs.join(' ').padEnd(39)}  ${visible(bytes)}\n`
  },
  end: () => '',
}

function dump(process: Process, names: readonly string[], { row, end }: Layout): Promise<number> {
  return eachInput(process, names, async (input) => {
    const bytes = await heldBytes(input, process)
    for (let start = 0; start < bytes.length; start += SLICE_BYTES) {
      const limit = Math.min(bytes.length, start + SLICE_BYTES)
      const rows: string[] = []
      for (let at = start; at < limit; at += ROW_BYTES) rows.push(row(bytes.subarray(at, Math.min(limit, at + ROW_BYTES)), at))
      await writeText(process.stdout, rows.join(''))
    }
    await writeText(process.stdout, end(bytes.length))
  })
}

/** `od [-c] [-A n] [-t FORMAT] [FILE…]`; formats beside characters are shown as `-t x1`. */
const od: Program = (process) => {
  const line = readCommandLine(process.argv.slice(1), 'cvb', 'AtNj')
  const { row, end } = line.has('c') || line.value('t')?.startsWith('c') ? CHARACTERS : OCTETS
  if (line.value('A') !== 'n') return dump(process, line.words, { row, end })
  const withoutOffset = (text: string) => text.replace(/^[0-7]+/, '')
  return dump(process, line.words, { row: (bytes, offset) => withoutOffset(row(bytes, offset)), end: () => '' })
}

const SHORTEST_STRING = 4
/** A longer run is printed in pieces: one of 64 MiB is no text. */
const LONGEST_STRING = 64 << 10

/** `strings [FILE…]`: runs of at least four printable characters. */
const strings: Program = (process) =>
  eachInput(process, readCommandLine(process.argv.slice(1), 'a').words, async (input) => {
    let run = ''
    const print = async () => {
      if (run.length >= SHORTEST_STRING) await writeText(process.stdout, `${run}\n`)
      run = ''
    }
    for (let piece = await input.read(process.signal); piece !== undefined; piece = await input.read(process.signal)) {
      const [first = '', ...others] = Buffer.from(piece)
        .toString('latin1')
        .split(/[^\x20-\x7e\t]/)
      run += first
      for (const other of others) {
        await print()
        run = other
      }
      if (run.length > LONGEST_STRING) await print()
    }
    await print()
  })

/** Programs that show bytes. */
export const dumping: Readonly<Record<string, Program>> = {
  od,
  hexdump: (process) => dump(process, readCommandLine(process.argv.slice(1), 'Cv').words, CANONICAL),
  xxd: (process) => dump(process, readCommandLine(process.argv.slice(1), 'u').words, XXD),
  strings,
}
