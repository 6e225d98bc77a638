import { createHash } from 'node:crypto'
import { resolvePath } from '../paths.ts'
import type { Input, Process, Program } from '../processes/process.ts'
import { collectBytes, lines, writeText } from '../texts.ts'
import { readCommandLine, readCount } from './command-line.ts'
import { follow } from './follow.ts'
import { grep } from './grep.ts'
import { eachInput } from './inputs.ts'

/** What is held of one input, by those who need all of it before they can print. */
const MOST_HELD = 64 << 20

async function copy(input: Input, { stdout, signal }: Process): Promise<void> {
  for (let piece = await input.read(signal); piece !== undefined; piece = await input.read(signal)) await stdout.write(piece)
}

async function allLines(process: Process, names: readonly string[]): Promise<{ readonly found: string[]; readonly status: number }> {
  const found: string[] = []
  const status = await eachInput(process, names, async (input) => {
    const bytes = await collectBytes(input, MOST_HELD, process.signal)
    const text = new TextDecoder().decode(bytes)
    if (text !== '') found.push(...text.replace(/\n$/, '').split('\n'))
  })
  return { found, status }
}

async function printLines(process: Process, found: readonly string[]): Promise<void> {
  if (found.length > 0) await writeText(process.stdout, `${found.join('\n')}\n`)
}

/** `head -5` is `head -n 5`. */
const withCount = (args: readonly string[]) => args.map((a) => a.replace(/^-(\d+)$/, '-n$1'))

function hashing(kind: 'md5' | 'sha1' | 'sha256' | 'sha512'): Program {
  return async (process) => {
    const line = readCommandLine(process.argv.slice(1), 'cbs')
    if (line.has('c')) return checkSums(process, kind, line.words)
    return eachInput(process, line.words, async (input, name) => {
      const hash = createHash(kind)
      for (let piece = await input.read(process.signal); piece !== undefined; piece = await input.read(process.signal)) hash.update(piece)
      await writeText(process.stdout, `${hash.digest('hex')}  ${name}\n`)
    })
  }
}

/** `-c`: whether files are still what their sums say. */
async function checkSums(process: Process, kind: string, names: readonly string[]): Promise<number> {
  let failed = 0
  const { found } = await allLines(process, names)
  for (const line of found) {
    const [, sum, name = ''] = line.match(/^([0-9a-f]+) [ *](.*)$/) ?? []
    const bytes = await process.files.read(resolvePath(process.directory, name))
    const right = createHash(kind).update(bytes).digest('hex') === sum
    if (!right) failed = 1
    await writeText(process.stdout, `${name}: ${right ? 'OK' : 'FAILED'}\n`)
  }
  return failed
}

/** A range list of `cut`: `1,3-5,7-`. */
function readRanges(text: string): (at: number) => boolean {
  const ranges = text.split(',').map((part) => {
    const [, from, dash, to] = part.match(/^(\d*)(?:(-)(\d*))?$/) ?? []
    if (from === undefined || part === '' || part === '-') throw new Error(`bad range '${text}'`)
    return [Number(from || 1), dash === undefined ? Number(from) : Number(to || Number.MAX_SAFE_INTEGER)] as const
  })
  return (at) => ranges.some(([from, to]) => from <= at && at <= to)
}

/** The characters of a set of `tr`: `a-z`, `[:upper:]`, `\n`. */
function readSet(text: string): string[] {
  const classes: Record<string, string> = {
    upper: 'A-Z',
    lower: 'a-z',
    digit: '0-9',
    alpha: 'A-Za-z',
    alnum: 'A-Za-z0-9',
    space: ' \\t\\n\\r\\f\\v',
  }
  const plain = text
    .replace(/\[:(\w+):\]/g, (whole, name: string) => classes[name] ?? whole)
    .replace(/\\([ntrfv\\])/g, (_, c: string) => ({ n: '\n', t: '\t', r: '\r', f: '\f', v: '\v' })[c] ?? '\\')
  return [...plain.replace(/([^-])-([^-])/gs, (whole, a: string, b: string) => range(a, b) ?? whole)]
}

function range(a: string, b: string): string | undefined {
  const [from, to] = [a.codePointAt(0) ?? 0, b.codePointAt(0) ?? 0]
  if (to < from || to - from > 0xffff) return undefined
  return Array.from({ length: to - from + 1 }, (_, i) => String.fromCodePoint(from + i)).join('')
}

/** `1K`, `2.5M`. */
function sizeOf(text: string): number {
  const [, count = '0', unit = ''] = text.trim().match(/^(-?\d+(?:\.\d+)?)([KMGT]?)/i) ?? []
  return Number(count) * 1024 ** (unit === '' ? 0 : 'KMGT'.indexOf(unit.toUpperCase()) + 1)
}

/** Programs that read text and print some of it. */
export const reading: Readonly<Record<string, Program>> = {
  cat: (process) => eachInput(process, readCommandLine(process.argv.slice(1), 'unAe').words, (input) => copy(input, process)),
  head: (process) => {
    const line = readCommandLine(withCount(process.argv.slice(1)), 'q', 'nc')
    const bytes = line.value('c')
    return eachInput(process, line.words, async (input) => {
      if (bytes !== undefined) {
        let left = readCount(bytes)
        for (
          let piece = await input.read(process.signal);
          piece !== undefined && left > 0;
          piece = left > 0 ? await input.read(process.signal) : undefined
        ) {
          await process.stdout.write(piece.subarray(0, left))
          left -= piece.length
        }
        return
      }
      let left = readCount(line.value('n') ?? '10')
      if (left <= 0) return
      for await (const text of lines(input, process.signal)) {
        await writeText(process.stdout, `${text}\n`)
        if (--left <= 0) return
      }
    })
  },
  tail: async (process) => {
    const line = readCommandLine(withCount(process.argv.slice(1)), 'fFq', 'nc')
    const wanted = line.value('n') ?? '10'
    const count = readCount(wanted)
    const last = (found: readonly string[]) =>
      wanted.startsWith('+') ? found.slice(Math.max(0, count - 1)) : count === 0 ? [] : found.slice(-Math.abs(count))
    const follows = line.has('f') || line.has('F')
    const bytes = line.value('c')
    if (follows && line.words.length > 0) return follow(process, { names: line.words, last, retry: line.has('F') })
    if (bytes !== undefined)
      return eachInput(process, line.words, async (input) => {
        const all = await collectBytes(input, MOST_HELD, process.signal)
        await process.stdout.write(
          bytes.startsWith('+') ? all.subarray(readCount(bytes) - 1) : all.subarray(Math.max(0, all.length - readCount(bytes))),
        )
      })
    const { found, status } = await allLines(process, line.words)
    await printLines(process, last(found))
    return status
  },
  grep,
  egrep: grep,
  fgrep: grep,
  wc: async (process) => {
    const line = readCommandLine(process.argv.slice(1), 'lwcm')
    return eachInput(process, line.words, async (input, name) => {
      const bytes = await collectBytes(input, MOST_HELD, process.signal)
      const text = new TextDecoder().decode(bytes)
      const counts = {
        l: text.split('\n').length - 1,
        w: text.split(/\s+/).filter((w) => w !== '').length,
        c: bytes.length,
        m: [...text].length,
      }
      const asked = (['l', 'w', 'c', 'm'] as const).filter((k) => line.has(k))
      const shown = (asked.length === 0 ? (['l', 'w', 'c'] as const) : asked).map((k) => String(counts[k]))
      await writeText(process.stdout, `${[...shown, ...(name === '-' ? [] : [name])].join(' ')}\n`)
    })
  },
  sort: async (process) => {
    const line = readCommandLine(process.argv.slice(1), 'nrufhVbds', 'kt')
    const { found, status } = await allLines(process, line.words)
    const field = Number((line.value('k') ?? '0').split(/[,.]/)[0])
    const key = (text: string) => (field === 0 ? text : (text.split(line.value('t') ?? /\s+/)[field - 1] ?? ''))
    const compare = (a: string, b: string) =>
      line.has('V')
        ? a.localeCompare(b, 'en', { numeric: true })
        : line.has('h')
          ? sizeOf(a) - sizeOf(b)
          : line.has('n')
            ? (Number.parseFloat(a) || 0) - (Number.parseFloat(b) || 0)
            : a < b
              ? -1
              : Number(a > b)
    const sorted = found.toSorted((a, b) => compare(key(a), key(b)) || compare(a, b))
    if (line.has('r')) sorted.reverse()
    await printLines(process, line.has('u') ? [...new Set(sorted)] : sorted)
    return status
  },
  uniq: async (process) => {
    const line = readCommandLine(process.argv.slice(1), 'cdu')
    const { found, status } = await allLines(process, line.words)
    const runs: { text: string; count: number }[] = []
    for (const text of found) {
      const last = runs.at(-1)
      if (last?.text === text) last.count++
      else runs.push({ text, count: 1 })
    }
    const shown = runs.filter((r) => (!line.has('d') || r.count > 1) && (!line.has('u') || r.count === 1))
    await printLines(
      process,
      shown.map((r) => (line.has('c') ? `${String(r.count).padStart(7)} ${r.text}` : r.text)),
    )
    return status
  },
  cut: async (process) => {
    const line = readCommandLine(process.argv.slice(1), 's', 'dfcb')
    const [fields, characters] = [line.value('f'), line.value('c') ?? line.value('b')]
    if (fields === undefined && characters === undefined) throw new Error('expected a list of bytes, characters, or fields')
    const takes = readRanges(fields ?? characters ?? '')
    const delimiter = line.value('d') ?? '\t'
    const { found, status } = await allLines(process, line.words)
    const chosen = (parts: readonly string[]) => parts.filter((_, i) => takes(i + 1))
    const cutOne = (text: string) =>
      fields === undefined ? chosen([...text]).join('') : text.includes(delimiter) ? chosen(text.split(delimiter)).join(delimiter) : text
    await printLines(process, found.map(cutOne))
    return status
  },
  tr: async (process) => {
    const line = readCommandLine(process.argv.slice(1), 'dsc')
    const from = readSet(line.words[0] ?? '')
    const to = readSet(line.words[1] ?? '')
    const has = (c: string) => from.includes(c) !== line.has('c')
    const text = new TextDecoder().decode(await collectBytes(process.stdin, MOST_HELD, process.signal))
    let out = ''
    for (const c of text) {
      const changed = !has(c) ? c : line.has('d') ? '' : (to[line.has('c') ? to.length - 1 : Math.min(from.indexOf(c), to.length - 1)] ?? c)
      if (!(line.has('s') && changed !== '' && out.endsWith(changed) && (to.length > 0 ? to : from).includes(changed))) out += changed
    }
    await writeText(process.stdout, out)
    return 0
  },
  tee: async (process) => {
    const line = readCommandLine(process.argv.slice(1), 'ai')
    const paths = line.words.map((name) => resolvePath(process.directory, name)).filter((at) => at !== '/dev/null')
    for (const at of paths) await process.files.write(at, new Uint8Array(), { append: line.has('a') })
    for (let piece = await process.stdin.read(process.signal); piece !== undefined; piece = await process.stdin.read(process.signal)) {
      for (const at of paths) await process.files.write(at, piece, { append: true })
      await process.stdout.write(piece)
    }
    return 0
  },
  base64: (process) => {
    const line = readCommandLine(process.argv.slice(1), 'di', 'w')
    return eachInput(process, line.words, async (input) => {
      const bytes = Buffer.from(await collectBytes(input, MOST_HELD, process.signal))
      if (line.has('d')) return process.stdout.write(Buffer.from(bytes.toString(), 'base64'))
      const width = readCount(line.value('w') ?? '76')
      const text = bytes.toString('base64')
      const rows = width === 0 ? [text] : (text.match(new RegExp(`.{1,${Math.min(width, 9999)}}`, 'g')) ?? [])
      await writeText(process.stdout, rows.join('\n') + (width === 0 ? '' : '\n'))
    })
  },
  md5sum: hashing('md5'),
  sha1sum: hashing('sha1'),
  sha256sum: hashing('sha256'),
  sha512sum: hashing('sha512'),
}
