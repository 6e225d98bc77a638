import path from 'node:path'
import { withoutTrailing } from '../../base/without-trailing.ts'
import { resolvePath } from '../paths.ts'
import type { FileSystem, Process, Program } from '../processes/process.ts'
import { runProgram } from '../processes/run-program.ts'
import { writeText } from '../texts.ts'
import { readCommandLine } from './command-line.ts'
import { eachPath } from './inputs.ts'

/** Names that one `mktemp` tries. */
const MOST_TRIES = 10_000

async function print({ stdout }: Process, text: string): Promise<number> {
  await writeText(stdout, text)
  return 0
}

/** The path of the program of that name, by a search of `PATH`. */
async function whereIs(process: Process, name: string): Promise<string | undefined> {
  if (name.includes('/')) return (await process.files.status(resolvePath(process.directory, name))) && name
  for (const folder of (process.environment.PATH ?? '/bin').split(':')) {
    const at = resolvePath(folder, name)
    const found = await process.files.status(at)
    if (found?.kind === 'file' && (found.mode & 0o111) !== 0) return at
  }
  return process.container.find(name) === undefined ? undefined : `/bin/${name}`
}

/** The same files, seen from a folder as their root. */
function below(files: FileSystem, root: string): FileSystem {
  const at = (name: string) => resolvePath(root, `.${name}`)
  return {
    status: (name) => files.status(at(name)),
    read: (name) => files.read(at(name)),
    write: (name, bytes, options) => files.write(at(name), bytes, options),
    list: (name) => files.list(at(name)),
    makeDirectory: (name, mode) => files.makeDirectory(at(name), mode),
    remove: (name) => files.remove(at(name)),
    rename: (from, to) => files.rename(at(from), at(to)),
    changeMode: (name, mode) => files.changeMode(at(name), mode),
    makeLink: (target, name) => files.makeLink(target, at(name)),
    readLink: (name) => files.readLink(at(name)),
  }
}

/** Programs that find programs and files, and start others. */
export const finding: Readonly<Record<string, Program>> = {
  which: async (process) => {
    let missing = 0
    for (const name of process.argv.slice(1).filter((a) => !a.startsWith('-'))) {
      const found = await whereIs(process, name)
      if (found === undefined) missing = 1
      else await print(process, `${found}\n`)
    }
    return missing
  },
  mktemp: async (process) => {
    const line = readCommandLine(process.argv.slice(1), 'dqtu', 'p')
    const template = line.words[0] ?? 'tmp.XXXXXXXXXX'
    const folder = line.value('p') ?? (line.words[0] === undefined ? (process.environment.TMPDIR ?? '/tmp') : process.directory)
    const fixed = withoutTrailing(template, 'X')
    for (let i = 0; i < MOST_TRIES; i++) {
      const made = fixed === template ? '' : `${process.pid.toString(36)}${i.toString(36)}`.padStart(template.length - fixed.length, '0')
      const at = resolvePath(folder, fixed + made)
      if ((await process.files.status(at)) !== undefined) continue
      if (line.has('d')) await process.files.makeDirectory(at, 0o700)
      else await process.files.write(at, new Uint8Array(), { mode: 0o600 })
      return print(process, `${at}\n`)
    }
    throw new Error('no free name')
  },
  realpath: (process) =>
    eachPath(process, process.argv.slice(1), async (at) => {
      const target = await process.files.readLink(at).catch(() => undefined)
      await print(process, `${target === undefined ? at : resolvePath(path.posix.dirname(at), target)}\n`)
    }),
  /** Built-in programs exist under every root. */
  chroot: async (process) => {
    const [root = '', ...words] = process.argv.slice(1)
    const at = resolvePath(process.directory, root)
    if ((await process.files.status(at))?.kind !== 'directory')
      throw new Error(`can't change root directory to '${root}': No such file or directory`)
    return runProgram(words.length === 0 ? ['sh', '-i'] : words, { ...process, files: below(process.files, at), directory: '/' })
  },
  usleep: async (process) => {
    await process.clock.sleep(Number(process.argv[1] ?? 0) / 1000, process.signal)
    return 0
  },
  nohup: (process) => runProgram(process.argv.slice(1), process),
  nice: (process) => runProgram(process.argv.slice(process.argv[1] === '-n' ? 3 : 1), process),
  setsid: (process) => runProgram(process.argv.slice(1), process),
  time: async (process) => {
    const began = process.clock.now()
    const status = await runProgram(process.argv.slice(1), process)
    const seconds = (process.clock.now() - began) / 1000
    await writeText(process.stderr, `real\t${Math.floor(seconds / 60)}m ${(seconds % 60).toFixed(2)}s\nuser\t0m 0.00s\nsys\t0m 0.00s\n`)
    return status
  },
  arch: (process) => print(process, 'x86_64\n'),
  logname: (process) => print(process, process.container.user.uid === 0 ? 'root\n' : `${process.container.user.uid}\n`),
  groups: (process) => print(process, `${process.container.user.groups.join(' ')}\n`),
}
