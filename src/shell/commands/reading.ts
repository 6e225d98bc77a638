import { createHash } from 'node:crypto'
import { RE2JS } from 're2js'
import type { Input, Process, Program } from '../process.ts'
import { collectBytes, lines, writeText } from '../texts.ts'
import { readCommandLine, readCount } from './command-line.ts'
import { compileExpression, extendedExpression } from './expressions.ts'
import { eachInput } from './inputs.ts'

/** What is held of one input, by those who need all of it before they can print. */
const MOST_HELD = 64 << 20
const FOLLOW_EVERY_MS = 200

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

function hashing(kind: 'md5' | 'sha1' | 'sha256'): Program {
  return (process) =>
    eachInput(process, process.argv.slice(1), async (input, name) => {
      const hash = createHash(kind)
      for (let piece = await input.read(process.signal); piece !== undefined; piece = await input.read(process.signal)) hash.update(piece)
      await writeText(process.stdout, `${hash.digest('hex')}  ${name}\n`)
    })
}

/** A range list of `cut`: `1,3-5,7-`. */
function readRanges(text: string): (at: number) => boolean {
  const ranges = text.split(',').map((part) => {
    const [, from, dash, to] = part.match(/^(\d*)(-?)(\d*)$/) ?? []
    if (from === undefined || part === '' || part === '-') throw new Error(`bad range '${text}'`)
    return [Number(from || 1), dash === '' ? Number(from) : Number(to || Number.MAX_SAFE_INTEGER)] as const
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
    const { found, status } = await allLines(process, line.words)
    const count = readCount(wanted)
    await printLines(process, wanted.startsWith('+') ? found.slice(count - 1) : count === 0 ? [] : found.slice(-Math.abs(count)))
    const [file] = line.words
    if (file === undefined || !(line.has('f') || line.has('F'))) return status
    // Whoever follows reads on until it is stopped: also `tail -f /dev/null`, which keeps a container alive.
    for (let seen = found.length; ; ) {
      await process.clock.sleep(FOLLOW_EVERY_MS, process.signal)
      if (file === '/dev/null') continue
      const { found: now } = await allLines(process, [file])
      await printLines(process, now.slice(Math.min(seen, now.length)))
      seen = now.length
    }
  },
  grep: async (process) => {
    const line = readCommandLine(process.argv.slice(1), 'EFGHchilnoqsvwx', 'em')
    const words = [...line.words]
    const pattern = line.value('e') ?? words.shift() ?? ''
    const source = line.has('F') ? RE2JS.quote(pattern) : extendedExpression(pattern, line.has('E'))
    const bounded = line.has('x') ? `^(?:${source})$` : line.has('w') ? `\\b(?:${source})\\b` : source
    const expression = compileExpression(bounded, true, line.has('i'))
    let matched = 0
    const broken = await eachInput(process, words, async (input, name) => {
      let [here, number] = [0, 0]
      for await (const text of lines(input, process.signal)) {
        number++
        const matcher = expression.matcher(text)
        if (matcher.find() === line.has('v')) continue
        matched++
        here++
        if (line.has('q')) return
        if (line.has('c') || line.has('l')) continue
        const prefix = `${words.length > 1 && !line.has('h') ? `${name}:` : ''}${line.has('n') ? `${number}:` : ''}`
        await writeText(process.stdout, `${prefix}${line.has('o') && !line.has('v') ? (matcher.group() ?? '') : text}\n`)
        if (here >= readCount(line.value('m') ?? '999999999')) break
      }
      if (line.has('c')) await writeText(process.stdout, `${here}\n`)
      if (line.has('l') && here > 0) await writeText(process.stdout, `${name}\n`)
    })
    return matched > 0 ? 0 : broken === 0 ? 1 : 2
  },
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
    const line = readCommandLine(process.argv.slice(1), 'nruf', 'kt')
    const { found, status } = await allLines(process, line.words)
    const field = Number((line.value('k') ?? '0').split(/[,.]/)[0])
    const key = (text: string) => (field === 0 ? text : (text.split(line.value('t') ?? /\s+/)[field - 1] ?? ''))
    const compare = (a: string, b: string) =>
      line.has('n') ? (Number.parseFloat(a) || 0) - (Number.parseFloat(b) || 0) : a < b ? -1 : Number(a > b)
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
    const bytes = await collectBytes(process.stdin, MOST_HELD, process.signal)
    for (const name of line.words)
      await process.files.write(name.startsWith('/') ? name : `${process.directory}/${name}`, bytes, { append: line.has('a') })
    await process.stdout.write(bytes)
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
}
