import path from 'node:path'
import { echoText } from '../echo.ts'
import { printfPieces } from '../printf.ts'
import type { Process, Program } from '../processes/process.ts'
import { runProgram } from '../processes/run-program.ts'
import { writeText } from '../texts.ts'
import { readCommandLine, readCount } from './command-line.ts'
import { withOutput } from './each-line.ts'
import { xargs } from './xargs.ts'

const UNIT_MS: Readonly<Record<string, number>> = { '': 1000, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const TIMED_OUT = 124
/** `yes` writes so many at once, or one word. */
const YES_CHARACTERS = 256

/** `5`, `0.5`, `2m`, `infinity`, in milliseconds. */
function readSpan(text: string): number {
  if (text === 'infinity' || text === 'inf') return Number.MAX_SAFE_INTEGER
  const [, count, unit = ''] = text.match(/^(\d{0,12}(?:\.\d{0,9})?)([smhd]?)$/) ?? []
  if (count === undefined || count === '' || count === '.') throw new Error(`invalid number '${text}'`)
  return Number(count) * (UNIT_MS[unit] ?? 1000)
}

async function print(process: Process, text: string): Promise<number> {
  await writeText(process.stdout, text)
  return 0
}

/** Replaces this program by another. */
function become(
  process: Process,
  argv: readonly string[],
  change: { environment?: Process['environment']; signal?: AbortSignal } = {},
): Promise<number> {
  return runProgram(argv, { ...process, ...change })
}

/** `date +FORMAT`, in UTC. */
function formatDate(format: string, ms: number): string {
  const date = new Date(ms)
  const iso = date.toISOString()
  const two = (n: number) => String(n).padStart(2, '0')
  const words: Record<string, string> = {
    Y: iso.slice(0, 4),
    m: iso.slice(5, 7),
    d: iso.slice(8, 10),
    H: iso.slice(11, 13),
    M: iso.slice(14, 16),
    S: iso.slice(17, 19),
    F: iso.slice(0, 10),
    T: iso.slice(11, 19),
    s: String(Math.floor(ms / 1000)),
    N: `${iso.slice(20, 23)}000000`,
    Z: 'UTC',
    z: '+0000',
    a: date.toUTCString().slice(0, 3),
    b: date.toUTCString().slice(8, 11),
    e: String(date.getUTCDate()).padStart(2),
    j: String(Math.floor((ms - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000) + 1).padStart(3, '0'),
    y: two(date.getUTCFullYear() % 100),
    n: '\n',
    '%': '%',
  }
  return format.replace(/%([a-zA-Z%])/g, (whole, c: string) => words[c] ?? whole)
}

function usualDate(words: readonly string[]): string {
  if (words.some((w) => w === '-Iseconds' || w === '--iso-8601=seconds')) return '%FT%T+00:00'
  if (words.some((w) => w === '-I' || w === '--iso-8601')) return '%F'
  return words.includes('-R') ? '%a, %d %b %Y %T %z' : '%a %b %e %T UTC %Y'
}

/** `-d @SECONDS`, or an unambiguous date. */
function dateMeant(words: readonly string[]): number | undefined {
  const at = words.indexOf('-d')
  if (at < 0) return undefined
  const text = words[at + 1] ?? ''
  const ms = /^@\d{1,12}$/.test(text) ? Number(text.slice(1)) * 1000 : Date.parse(/[Zz]$|[-+]\d\d:?\d\d$/.test(text) ? text : `${text}Z`)
  if (!Number.isFinite(ms)) throw new Error(`invalid date '${text}'`)
  return ms
}

const env: Program = async (process) => {
  const args = process.argv.slice(1)
  const environment: Record<string, string> = { ...process.environment }
  while (args.length > 0) {
    const [word = ''] = args
    if (word === '-i' || word === '-') for (const name of Object.keys(environment)) delete environment[name]
    else if (word === '-u') delete environment[args.splice(0, 1)[0] === '-u' ? (args[0] ?? '') : '']
    else if (/^[^=]+=/.test(word)) environment[word.slice(0, word.indexOf('='))] = word.slice(word.indexOf('=') + 1)
    else break
    args.shift()
  }
  if (args.length > 0) return become(process, args, { environment })
  const all = Object.entries(environment).map(([name, value]) => `${name}=${value}\n`)
  return print(process, all.join(''))
}

/** What follows the options of `timeout`: the options of the command behind it are the command's own. */
function afterOptions(args: readonly string[]): readonly string[] {
  const first = args.findIndex((arg, i) => !arg.startsWith('-') && !/^(-[sk]|--signal|--kill-after)$/.test(args[i - 1] ?? ''))
  return first < 0 ? [] : args.slice(first)
}

/** Programs about the process, its machine and its time. */
export const system: Readonly<Record<string, Program>> = {
  true: () => 0,
  false: () => 1,
  echo: (process) => print(process, echoText(process.argv.slice(1))),
  printf: async (process) => {
    for (const piece of printfPieces(process.argv[1] ?? '', process.argv.slice(2))) await print(process, piece)
    return 0
  },
  sleep: async (process) => {
    const spans = process.argv.slice(1).map(readSpan)
    if (spans.length === 0) throw new Error('missing operand')
    await process.clock.sleep(
      Math.min(
        Number.MAX_SAFE_INTEGER,
        spans.reduce((a, b) => a + b, 0),
      ),
      process.signal,
    )
    return 0
  },
  /** The program of a pod's sandbox: idle until it gets a signal. */
  pause: async (process) => {
    await process.clock.sleep(Number.MAX_SAFE_INTEGER, process.signal)
    return 0
  },
  timeout: async (process) => {
    const [span, ...command] = afterOptions(process.argv.slice(1))
    if (span === undefined || command.length === 0) throw new Error('missing operand')
    const killer = new AbortController()
    const late = process.clock.after(readSpan(span), () => killer.abort(new Error('late')))
    try {
      return await become(process, command, { signal: AbortSignal.any([process.signal, killer.signal]) })
    } catch (error) {
      process.signal.throwIfAborted()
      if (killer.signal.aborted) return TIMED_OUT
      throw error
    } finally {
      late()
    }
  },
  env,
  printenv: async (process) => {
    const names = process.argv.slice(1)
    if (names.length === 0) return env({ ...process, argv: ['env'] })
    const values = names.map((n) => (Object.hasOwn(process.environment, n) ? process.environment[n] : undefined))
    await print(process, values.flatMap((v) => (v === undefined ? [] : `${v}\n`)).join(''))
    return Number(values.includes(undefined))
  },
  date: (process) => {
    const words = process.argv.slice(1).filter((a) => a !== '-u' && a !== '--utc')
    const format = words.find((w) => w.startsWith('+'))?.slice(1) ?? usualDate(words)
    return print(process, `${formatDate(format, dateMeant(words) ?? process.clock.now())}\n`)
  },
  hostname: (process) => {
    const { hostname, machine } = process.container
    const line = readCommandLine(process.argv.slice(1), 'fisdIA')
    if (line.has('i') || line.has('I')) return print(process, `${machine.ips.join(' ')}\n`)
    const [, ...domain] = machine.fullName.split('.')
    return print(process, `${line.has('f') || line.has('A') ? machine.fullName : line.has('d') ? domain.join('.') : hostname}\n`)
  },
  id: (process) => {
    const { uid, gid, groups } = process.container.user
    const line = readCommandLine(process.argv.slice(1), 'ugGnr')
    const named = (n: number) => (n === 0 ? 'root' : String(n))
    const shown = line.has('n') ? named : String
    if (line.has('u')) return print(process, `${shown(uid)}\n`)
    if (line.has('g')) return print(process, `${shown(gid)}\n`)
    if (line.has('G')) return print(process, `${groups.map(shown).join(' ')}\n`)
    const both = (n: number) => (n === 0 ? '0(root)' : String(n))
    return print(process, `uid=${both(uid)} gid=${both(gid)} groups=${groups.map(both).join(',')}\n`)
  },
  whoami: (process) => print(process, process.container.user.uid === 0 ? 'root\n' : `${process.container.user.uid}\n`),
  uname: (process) => {
    const line = readCommandLine(process.argv.slice(1), 'asnrvmo')
    const all = { s: 'Linux', n: process.container.hostname, r: '6.1.0-simulated', v: '#1 SMP', m: 'x86_64', o: 'GNU/Linux' }
    const requested = (['s', 'n', 'r', 'v', 'm', 'o'] as const).filter(
      (k) => line.has('a') || line.has(k) || (k === 's' && process.argv.length === 1),
    )
    return print(process, `${requested.map((k) => all[k]).join(' ')}\n`)
  },
  basename: (process) => print(process, `${path.posix.basename(process.argv[1] ?? '', process.argv[2])}\n`),
  dirname: (process) => print(process, `${path.posix.dirname(process.argv[1] ?? '.')}\n`),
  seq: async (process) => {
    const numbers = process.argv.slice(1).map(readCount)
    const [from, step, to] =
      numbers.length === 1
        ? [1, 1, numbers[0] ?? 0]
        : numbers.length === 2
          ? [numbers[0] ?? 1, 1, numbers[1] ?? 0]
          : [numbers[0] ?? 1, numbers[1] ?? 1, numbers[2] ?? 0]
    if (step === 0) throw new Error('step is zero')
    return withOutput(process, async (output) => {
      for (let n = from; step > 0 ? n <= to : n >= to; n += step) await output.write(`${n}\n`)
      return 0
    })
  },
  yes: async (process) => {
    const word = `${process.argv.slice(1).join(' ') || 'y'}\n`
    const text = word.repeat(Math.ceil(YES_CHARACTERS / word.length))
    for (;;) {
      process.signal.throwIfAborted()
      await print(process, text)
      await process.clock.sleep(1, process.signal)
    }
  },
  xargs,
  expr: async (process) => {
    const [a = '', operator = '', b = ''] = process.argv.slice(1)
    const [x, y] = [Number(a), Number(b)]
    if (['/', '%'].includes(operator) && y === 0) throw new Error('division by zero')
    const values: Record<string, string | number> = {
      '+': x + y,
      '-': x - y,
      '*': x * y,
      '/': Math.trunc(x / y),
      '%': x % y,
      '=': Number(a === b),
      '!=': Number(a !== b),
      '<': Number(x < y),
      '>': Number(x > y),
      '<=': Number(x <= y),
      '>=': Number(x >= y),
    }
    const result = operator === '' ? a : values[operator]
    if (result === undefined) throw new Error('syntax error')
    await print(process, `${result}\n`)
    return Number(result === 0 || result === '0' || result === '')
  },
}
