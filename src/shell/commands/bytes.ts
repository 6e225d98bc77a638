import { gunzipSync, gzipSync } from 'node:zlib'
import { resolvePath } from '../paths.ts'
import type { Process, Program } from '../processes/process.ts'
import { collectBytes, writeText } from '../texts.ts'
import { readCommandLine, readCount } from './command-line.ts'
import { eachInput } from './inputs.ts'

/** What is held of one input. */
const MOST_HELD = 64 << 20
/** Beyond it, what differs is told as one block. */
const MOST_COMPARED = 4_000_000

/** Of each input, what a function makes of its bytes. */
function each(make: (bytes: Uint8Array, process: Process, name: string) => string | Uint8Array, flags = '', valued = ''): Program {
  return (process) =>
    eachInput(process, readCommandLine(process.argv.slice(1), flags, valued).words, async (input, name) => {
      const made = make(await collectBytes(input, MOST_HELD, process.signal), process, name)
      await process.stdout.write(typeof made === 'string' ? Buffer.from(made) : made)
    })
}

const textLines = (bytes: Uint8Array) => new TextDecoder().decode(bytes).replace(/\n$/, '').split('\n')
const hex = (n: number, width: number) => n.toString(16).padStart(width, '0')
const octal = (n: number, width: number) => n.toString(8).padStart(width, '0')
const NAMED: Readonly<Record<number, string>> = { 0: '\\0', 7: '\\a', 8: '\\b', 9: '\\t', 10: '\\n', 11: '\\v', 12: '\\f', 13: '\\r' }

function rows(bytes: Uint8Array, row: (piece: Uint8Array, at: number) => string, last: (at: number) => string): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += 16) text += row(bytes.subarray(at, at + 16), at)
  return text + last(bytes.length)
}

const visible = (byte: number) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.')

/** `hexdump -C`. */
const canonical = (bytes: Uint8Array) =>
  rows(
    bytes,
    (piece, at) => {
      const cells = [...piece].map((b) => hex(b, 2))
      const [left, right] = [cells.slice(0, 8).join(' '), cells.slice(8).join(' ')]
      return `${hex(at, 8)}  ${left.padEnd(23)}  ${right.padEnd(23)}  |${[...piece].map(visible).join('')}|\n`
    },
    (at) => `${hex(at, 8)}\n`,
  )

const characters = (bytes: Uint8Array) =>
  rows(
    bytes,
    (piece, at) =>
      `${octal(at, 7)} ${[...piece].map((b) => (NAMED[b] ?? (b >= 0x20 && b < 0x7f ? String.fromCharCode(b) : octal(b, 3))).padStart(3)).join(' ')}\n`,
    (at) => `${octal(at, 7)}\n`,
  )

const octets = (bytes: Uint8Array) =>
  rows(
    bytes,
    (piece, at) => `${octal(at, 7)} ${[...piece].map((b) => hex(b, 2)).join(' ')}\n`,
    (at) => `${octal(at, 7)}\n`,
  )

async function read(process: Process, name: string): Promise<Uint8Array> {
  return name === '-' ? collectBytes(process.stdin, MOST_HELD, process.signal) : process.files.read(resolvePath(process.directory, name))
}

/** A run of lines: kept, or only in the first or second text. */
type Change = readonly ['=' | '-' | '+', string]

/** The shortest way from one text to the other, by their longest common subsequence; what is alike at both ends is not compared. */
export function compareLines(a: readonly string[], b: readonly string[]): readonly Change[] {
  let [start, end] = [0, 0]
  while (start < a.length && start < b.length && a[start] === b[start]) start++
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++
  const [x, y] = [a.slice(start, a.length - end), b.slice(start, b.length - end)]
  const same = (lines: readonly string[]) => lines.map((line): Change => ['=', line])
  return [...same(a.slice(0, start)), ...between(x, y), ...same(a.slice(a.length - end))]
}

function between(x: readonly string[], y: readonly string[]): readonly Change[] {
  const apart = () => [...x.map((line): Change => ['-', line]), ...y.map((line): Change => ['+', line])]
  if (x.length * y.length > MOST_COMPARED) return apart()
  const width = y.length + 1
  const longest = new Uint32Array((x.length + 1) * width)
  const at = (i: number, j: number) => longest[i * width + j] ?? 0
  for (let i = x.length - 1; i >= 0; i--)
    for (let j = y.length - 1; j >= 0; j--)
      longest[i * width + j] = x[i] === y[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
  const changes: Change[] = []
  for (let i = 0, j = 0; i < x.length || j < y.length; ) {
    if (i < x.length && j < y.length && x[i] === y[j]) {
      changes.push(['=', x[i++] ?? ''])
      j++
    } else if (j >= y.length || (i < x.length && at(i + 1, j) >= at(i, j + 1))) changes.push(['-', x[i++] ?? ''])
    else changes.push(['+', y[j++] ?? ''])
  }
  return changes
}

const diff: Program = async (process) => {
  const line = readCommandLine(process.argv.slice(1), 'uqbw')
  const [from = '', to = ''] = line.words
  const [a, b] = [await read(process, from), await read(process, to)]
  if (Buffer.compare(a, b) === 0) return 0
  if (line.has('q')) {
    await writeText(process.stdout, `Files ${from} and ${to} differ\n`)
    return 1
  }
  const changes = compareLines(textLines(a), textLines(b))
  const old = changes.filter(([kind]) => kind !== '+').length
  const now = changes.filter(([kind]) => kind !== '-').length
  const shown = changes.map(([kind, text]) => `${kind === '=' ? ' ' : kind}${text}\n`)
  await writeText(process.stdout, `--- ${from}\n+++ ${to}\n@@ -1,${old} +1,${now} @@\n${shown.join('')}`)
  return 1
}

function zipping(packs: boolean): Program {
  return async (process) => {
    const line = readCommandLine(
      process.argv.slice(1).filter((a) => !/^-\d$/.test(a)),
      'cdfkq',
    )
    const pack = packs && !line.has('d')
    const [name] = line.words
    const work = (bytes: Uint8Array) => (pack ? gzipSync(bytes) : gunzipSync(bytes, { maxOutputLength: MOST_HELD }))
    if (name === undefined || line.has('c')) {
      await process.stdout.write(work(await read(process, name ?? '-')))
      return 0
    }
    for (const file of line.words) {
      const at = resolvePath(process.directory, file)
      if (!pack && !at.endsWith('.gz')) throw new Error(`${file}: unknown suffix - ignored`)
      await process.files.write(pack ? `${at}.gz` : at.slice(0, -3), work(await process.files.read(at)))
      if (!line.has('k')) await process.files.remove(at)
    }
    return 0
  }
}

/** Programs that look at bytes, compare them, and pack them. */
export const bytes: Readonly<Record<string, Program>> = {
  od: (process) => {
    const dump = process.argv.includes('-c') ? characters : octets
    const words = process.argv.filter(
      (a, i, all) => i === 0 || (!a.startsWith('-') && !['-A', '-t', '-N', '-j'].includes(all[i - 1] ?? '')),
    )
    return each(dump)({ ...process, argv: words })
  },
  hexdump: each(canonical, 'Cv'),
  xxd: each(
    (content) =>
      rows(
        content,
        (piece, at) =>
          `${hex(at, 8)}: ${(
            Buffer.from(piece)
              .toString('hex')
              .match(/.{1,4}/g) ?? []
          )
            .join(' ')
            .padEnd(39)}  ${[...piece].map(visible).join('')}\n`,
        () => '',
      ),
    'u',
  ),
  strings: each((content) =>
    (
      Buffer.from(content)
        .toString('latin1')
        .match(/[\x20-\x7e\t]{4,}/g) ?? []
    )
      .map((s) => `${s}\n`)
      .join(''),
  ),
  rev: each((content) =>
    textLines(content)
      .map((line) => `${[...line].reverse().join('')}\n`)
      .join(''),
  ),
  tac: each((content) =>
    textLines(content)
      .reverse()
      .map((line) => `${line}\n`)
      .join(''),
  ),
  nl: each(
    (content) =>
      textLines(content)
        .map((line, i) => `${String(i + 1).padStart(6)}\t${line}\n`)
        .join(''),
    '',
    'b',
  ),
  fold: (process) => {
    const width = readCount(readCommandLine(process.argv.slice(1), 's', 'w').value('w') ?? '80')
    const cut = (line: string) => line.match(new RegExp(`.{1,${Math.max(1, Math.min(width, 9999))}}`, 'gu')) ?? ['']
    return each(
      (content) =>
        textLines(content)
          .flatMap(cut)
          .map((line) => `${line}\n`)
          .join(''),
      's',
      'w',
    )(process)
  },
  diff,
  cmp: async (process) => {
    const [from = '', to = ''] = readCommandLine(process.argv.slice(1), 's').words
    const [a, b] = [await read(process, from), await read(process, to)]
    const at = a.findIndex((byte, i) => byte !== b[i])
    if (at < 0 && a.length === b.length) return 0
    if (!process.argv.includes('-s'))
      await writeText(
        process.stdout,
        at < 0 || at >= b.length
          ? `cmp: EOF on ${a.length < b.length ? from : to}\n`
          : `${from} ${to} differ: char ${at + 1}, line ${textLines(a.subarray(0, at)).length}\n`,
      )
    return 1
  },
  gzip: zipping(true),
  gunzip: zipping(false),
  zcat: each((content) => gunzipSync(content, { maxOutputLength: MOST_HELD })),
}
