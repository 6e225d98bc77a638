import path from 'node:path'
import { quiet } from '../../base/quiet.ts'
import { wordsFor } from '../file-words.ts'
import { Killed } from '../flow.ts'
import { resolvePath } from '../paths.ts'
import { writeText } from '../texts.ts'
import { fitsExec } from './exec-limits.ts'
import { pacedStreams } from './paced-streams.ts'
import { COMMAND_WORK } from './pacer.ts'
import { BrokenPipeError } from './pipe.ts'
import type { Process, Program } from './process.ts'
import { signalExitCode } from './signals.ts'

/** Folders whose programs are known by their names alone. */
const PROGRAM_FOLDERS = new Set(['/bin', '/sbin', '/usr/bin', '/usr/sbin', '/usr/local/bin', '/'])
const NOT_FOUND = 127
const NOT_EXECUTABLE = 126

/** Runs a program of the container in a process of its own; resolves with its exit code, whatever happens. */
export async function runProgram(argv: readonly string[], from: Omit<Process, 'pid' | 'argv' | 'catchSignals'>): Promise<number> {
  await from.pacer.spend(COMMAND_WORK, from.signal)
  if (!fitsExec(argv, from.environment)) {
    await writeText(from.stderr, `sh: ${argv[0]}: Argument list too long\n`)
    return NOT_EXECUTABLE
  }
  const killer = new AbortController()
  const signal = AbortSignal.any([from.signal, killer.signal])
  const catcher = { caught: (_: string) => false }
  using entry = from.container.enter(argv, (sent) => {
    if (sent === 'KILL' || !catcher.caught(sent)) killer.abort(new Killed(sent))
  })
  const process: Process = {
    ...from,
    ...pacedStreams(from, signal),
    pid: entry.pid,
    argv,
    signal,
    catchSignals: (caught) => void Object.assign(catcher, { caught }),
  }
  try {
    return await runAs(process)
  } catch (error) {
    from.signal.throwIfAborted()
    if (killer.signal.aborted) return signalExitCode(`SIG${killer.signal.reason instanceof Killed ? killer.signal.reason.signal : 'KILL'}`)
    throw error
  }
}

/** Runs the program that a process's words name, as that process. Rejects when the process is killed. */
export async function runAs(process: Process): Promise<number> {
  const [name = ''] = process.argv
  try {
    const found = await findProgram(name, process)
    if (typeof found === 'function') return await found(process)
    await writeText(process.stderr, `sh: ${name}: ${found.why}\n`)
    return found.status
  } catch (error) {
    process.signal.throwIfAborted()
    if (error instanceof BrokenPipeError) return signalExitCode('SIGPIPE')
    await quiet(writeText(process.stderr, `${path.posix.basename(name)}: ${wordsFor(error)}\n`), 'stderr may be closed')
    return 1
  }
}

interface NotRun {
  readonly why: string
  readonly status: number
}

/** Why these programs are missing. */
const ABSENT: readonly (readonly [names: string, why: string])[] = [
  ['apt apt-get apk yum dnf microdnf pip pip3 npm gem', 'nothing can be installed in a simulated container'],
  ['vi vim nano emacs', 'a simulated container has no editor: use kubectl cp, or cat > FILE'],
  [
    'python python3 node perl ruby java go php jq openssl git',
    'a simulated container runs its shell and utilities, not what else its image brings',
  ],
  ['strace tcpdump gdb perf nsenter iptables', 'a simulated container has no kernel'],
]

function notFoundWords(name: string): string {
  const known = ABSENT.find(([names]) => names.split(' ').includes(name))
  return known === undefined ? 'not found' : `not found (${known[1]})`
}

/** A program of the image by its name, or a script by its path. */
async function findProgram(name: string, process: Process): Promise<Program | NotRun> {
  if (!name.includes('/')) return process.container.find(name) ?? { why: notFoundWords(name), status: NOT_FOUND }
  const file = resolvePath(process.directory, name)
  const status = await process.files.status(file)
  if (status === undefined) {
    const folder = path.posix.dirname(file)
    const known =
      PROGRAM_FOLDERS.has(folder) || (await isUnknown(folder, process)) ? process.container.find(path.posix.basename(file)) : undefined
    return known ?? { why: 'not found', status: NOT_FOUND }
  }
  // In the folders of programs their files are signs that hold nothing.
  const named = PROGRAM_FOLDERS.has(path.posix.dirname(file)) && status.sizeBytes === 0
  const known = named ? process.container.find(path.posix.basename(file)) : undefined
  if (known !== undefined) return known
  if (status.kind === 'directory' || (status.mode & 0o111) === 0) return { why: 'Permission denied', status: NOT_EXECUTABLE }
  const [first = ''] = new TextDecoder().decode((await process.files.read(file)).subarray(0, 256)).split('\n')
  const interpreter = first.startsWith('#!') ? first.slice(2).trim().split(/\s+/) : ['sh']
  const words = path.posix.basename(interpreter[0] ?? '') === 'env' ? interpreter.slice(1) : interpreter
  const program = process.container.find(path.posix.basename(words[0] ?? ''))
  if (program === undefined) return { why: 'not found', status: NOT_FOUND }
  return (p) => program({ ...p, argv: [...words, file, ...p.argv.slice(1)] })
}

/** If a folder is missing or empty, it is unknown what the real image has in it. */
async function isUnknown(folder: string, { files }: Process): Promise<boolean> {
  const status = await files.status(folder)
  return status === undefined || (status.kind === 'directory' && (await files.list(folder)).length === 0)
}
