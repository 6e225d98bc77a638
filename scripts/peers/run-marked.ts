import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { type Ended, type ProgramOptions, runProgram } from '../../test/run-program.ts'
import { Missing } from './peer.ts'

const MARK = 'BOWSPRIT_PEER'

/**
 * Runs a program of a suite with a time limit, and ends what it left behind: a test program that is killed leaves the control planes that
 * it started, each in a process group of its own. They are found by a variable that they inherit (on Linux; elsewhere they stay).
 */
export async function runMarked(file: string, args: readonly string[], options: ProgramOptions = {}): Promise<Ended> {
  const mark = randomUUID()
  const sweep = () => {
    for (const pid of pidsWith(`${MARK}=${mark}`)) kill(pid)
  }
  // What it started may hold its output open after its own end.
  const limit = options.timeoutMs === undefined ? undefined : setTimeout(sweep, options.timeoutMs)
  try {
    return await runProgram(file, args, { ...options, env: { ...options.env, [MARK]: mark } })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      return { code: 127, out: '', err: `${path.basename(file)} is not here` }
    throw error
  } finally {
    clearTimeout(limit)
    sweep()
  }
}

/** The same for a step towards running. @throws {Missing} naming the step, and what was said last */
export async function mustRun(file: string, args: readonly string[], options: ProgramOptions): Promise<void> {
  const { code, out, err } = await runMarked(file, args, options)
  if (code !== 0) throw new Missing(`${path.basename(file)} ${args[0] ?? ''}: ${lastLine(err) || lastLine(out)}`)
}

/** What a program said last. */
export const lastLine = (said: string): string => said.trim().split('\n').at(-1) ?? ''

function pidsWith(variable: string): readonly number[] {
  return entriesOf('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => environmentOf(pid).includes(variable))
    .map(Number)
}

function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return [] // no such folder on this system
  }
}

function environmentOf(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
  } catch {
    return [] // ended meanwhile, or another user's
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // ended meanwhile
  }
}
