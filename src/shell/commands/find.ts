import path from 'node:path'
import { resolvePath } from '../paths.ts'
import type { FileStatus, Process, Program } from '../processes/process.ts'
import { runProgram } from '../processes/run-program.ts'
import { writeText } from '../texts.ts'
import { compilePattern } from '../words/pattern.ts'
import { eachPath } from './inputs.ts'

interface Found {
  /** As it is printed. */
  readonly name: string
  readonly at: string
  readonly status: FileStatus | undefined
  readonly link: boolean
}

type Test = (found: Found) => boolean | Promise<boolean>

const DAY_MS = 86_400_000

async function isLink({ files }: Process, at: string): Promise<boolean> {
  return files.readLink(at).then(
    () => true,
    () => false,
  )
}

/** A folder and all that is in it, what is inside first. */
export async function* within(process: Process, at: string): AsyncGenerator<string> {
  if (!(await isLink(process, at)) && (await process.files.status(at))?.kind === 'directory')
    for (const name of await process.files.list(at)) yield* within(process, resolvePath(at, name))
  yield at
}

/** `+3`, `-3`, `3`. */
function counted(text: string): (n: number) => boolean {
  const count = Number(text.replace(/^[-+]/, ''))
  if (!Number.isFinite(count)) throw new Error(`invalid number '${text}'`)
  return text.startsWith('+') ? (n) => n > count : text.startsWith('-') ? (n) => n < count : (n) => n === count
}

interface Expression {
  readonly test: Test
  readonly leastDepth: number
  readonly mostDepth: number
  readonly insideFirst: boolean
}

/** @throws {Error} for what it does not know */
function readExpression(words: readonly string[], process: Process): Expression {
  const rest = [...words]
  let [leastDepth, mostDepth, insideFirst, acts] = [0, Number.POSITIVE_INFINITY, false, false]
  const print =
    (end: string): Test =>
    async ({ name }) => {
      await writeText(process.stdout, name + end)
      return true
    }
  const value = () => rest.shift() ?? ''
  const pattern = (of: (found: Found) => string, fold = false): Test => {
    const wanted = compilePattern([{ text: fold ? value().toLowerCase() : value(), quoted: false }])
    return (found) => wanted.matches(fold ? of(found).toLowerCase() : of(found))
  }
  const base = ({ at }: Found) => path.posix.basename(at)
  const primary = (): Test => {
    const word = value()
    switch (word) {
      case '!':
      case '-not': {
        const inner = primary()
        return async (found) => !(await inner(found))
      }
      case '(': {
        const inner = either()
        if (value() !== ')') throw new Error('unmatched (')
        return inner
      }
      case '-name':
        return pattern(base)
      case '-iname':
        return pattern(base, true)
      case '-path':
      case '-wholename':
        return pattern(({ name }) => name)
      case '-type': {
        const kinds = value()
        return ({ status, link }) =>
          kinds.includes(link ? 'l' : ({ directory: 'd', file: 'f', device: 'c', link: 'l' }[status?.kind ?? 'file'] ?? ''))
      }
      case '-empty':
        return async ({ status, at }) =>
          status?.kind === 'directory' ? (await process.files.list(at)).length === 0 : status?.sizeBytes === 0
      case '-size': {
        const text = value()
        const unit = { c: 1, k: 1024, M: 1 << 20, G: 1 << 30 }[text.at(-1) ?? ''] ?? 512
        const fits = counted(text.replace(/[ckMG]$/, ''))
        return ({ status }) => fits(Math.ceil((status?.sizeBytes ?? 0) / unit))
      }
      case '-mtime':
      case '-mmin': {
        const fits = counted(value())
        const unit = word === '-mtime' ? DAY_MS : 60_000
        return ({ status }) => fits(Math.floor((process.clock.now() - (status?.modifiedAtMs ?? 0)) / unit))
      }
      case '-perm': {
        const mode = value()
        const bits = Number.parseInt(mode.replace(/^[-/]/, ''), 8)
        return ({ status }) => (mode.startsWith('-') ? ((status?.mode ?? 0) & bits) === bits : ((status?.mode ?? 0) & 0o7777) === bits)
      }
      case '-maxdepth':
        mostDepth = Number(value())
        return () => true
      case '-mindepth':
        leastDepth = Number(value())
        return () => true
      case '-print':
      case '-print0':
        acts = true
        return print(word === '-print' ? '\n' : '\0')
      case '-delete':
        acts = true
        insideFirst = true
        return async ({ at }) => {
          await process.files.remove(at)
          return true
        }
      case '-exec': {
        acts = true
        const argv: string[] = []
        for (let next = rest.shift(); next !== undefined && next !== ';' && next !== '+'; next = rest.shift()) argv.push(next)
        return async ({ name }) =>
          (await runProgram(
            argv.map((a) => a.replaceAll('{}', () => name)),
            process,
          )) === 0
      }
      default:
        throw new Error(`unrecognized: ${word}`)
    }
  }
  const both = (): Test => {
    const tests = [primary()]
    while (rest.length > 0 && !['-o', '-or', ')'].includes(rest[0] ?? '')) {
      if (rest[0] === '-a' || rest[0] === '-and') rest.shift()
      tests.push(primary())
    }
    return async (found) => {
      for (const test of tests) if (!(await test(found))) return false
      return true
    }
  }
  const either = (): Test => {
    const tests = [both()]
    while (rest[0] === '-o' || rest[0] === '-or') {
      rest.shift()
      tests.push(both())
    }
    return async (found) => {
      for (const test of tests) if (await test(found)) return true
      return false
    }
  }
  const asked: Test = rest.length === 0 ? () => true : either()
  const printed = print('\n')
  const test: Test = acts ? asked : async (found) => (await asked(found)) && printed(found)
  return { test, leastDepth, mostDepth, insideFirst }
}

/** `find [PATH…] [EXPRESSION]` */
export const find: Program = (process) => {
  const args = process.argv.slice(1)
  const first = args.findIndex((a) => a.startsWith('-') || a === '!' || a === '(')
  const roots = first < 0 ? args : args.slice(0, first)
  const { test, leastDepth, mostDepth, insideFirst } = readExpression(first < 0 ? [] : args.slice(first), process)
  const visit = async (at: string, name: string, depth: number): Promise<void> => {
    process.signal.throwIfAborted()
    const status = await process.files.status(at)
    const link = await isLink(process, at)
    const look = async () => void (depth >= leastDepth && (await test({ name, at, status, link })))
    if (!insideFirst) await look()
    if (!link && status?.kind === 'directory' && depth < mostDepth)
      for (const child of await process.files.list(at))
        await visit(resolvePath(at, child), `${name.replace(/\/$/, '')}/${child}`, depth + 1)
    if (insideFirst) await look()
  }
  return eachPath(process, roots.length === 0 ? ['.'] : roots, async (at, name) => {
    if ((await process.files.status(at)) === undefined && !(await isLink(process, at)))
      throw Object.assign(new Error(name), { code: 'ENOENT' })
    await visit(at, name, 0)
  })
}
