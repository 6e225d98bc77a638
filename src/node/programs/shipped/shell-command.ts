import path from 'node:path'
import { hasCode } from '../../../base/has-code.ts'
import { onAbort } from '../../../base/on-abort.ts'
import { quiet } from '../../../base/quiet.ts'
import type { ByteSink } from '../../../machinery/streams.ts'
import { COMMANDS } from '../../../shell/commands/commands.ts'
import { Pacer } from '../../../shell/processes/pacer.ts'
import { inputFrom } from '../../../shell/processes/pipe.ts'
import type { FileSystem, Process, ProcessTable, Program } from '../../../shell/processes/process.ts'
import { runAs } from '../../../shell/processes/run-program.ts'
import { signalExitCode } from '../../../shell/processes/signals.ts'
import { openTerminal } from '../../../shell/processes/terminal.ts'
import { writeText } from '../../../shell/texts.ts'
import type { ContainerFiles } from '../container-files.ts'
import { playUnknown } from '../play-unknown.ts'
import type { ProgramOutput } from '../program.ts'
import type { ShippedProcess, UnknownProgram } from './shipped-process.ts'

/** Signals that end a process which does not catch them, and which a shell can catch. */
const CATCHABLE = ['HUP', 'INT', 'QUIT', 'ALRM', 'TERM', 'USR1', 'USR2', 'PIPE']

const SHELLS = new Set(['sh', 'ash', 'bash', 'dash'])

/** Runs a command of `src/shell` as a process of a container; resolves with its exit code. */
export async function runShellCommand(name: string, container: ShippedProcess): Promise<number> {
  const process = processOf(container)
  const shell = SHELLS.has(name) ? COMMANDS.get(name) : undefined
  // A shell prints its failures by itself.
  return shell === undefined ? runAs(process) : shell(process)
}

/** Runs the file that the first word names. */
export function runFileCommand(container: ShippedProcess): Promise<number> {
  return runAs(processOf(container))
}

function processOf(container: ShippedProcess): Process {
  const { argv, environment, workingDir, clock, pid } = container
  const catcher = { caught: (_: string) => false }
  for (const signal of CATCHABLE)
    container.onSignal(`SIG${signal}`, () => {
      if (!catcher.caught(signal)) container.exit(signalExitCode(`SIG${signal}`))
    })
  return {
    pid,
    argv,
    environment,
    directory: workingDir,
    ...streamsOf(container),
    files: filesOf(container.files),
    clock,
    pacer: new Pacer(clock),
    // A process that is killed gets no signal: all that it uses rejects from then on.
    signal: new AbortController().signal,
    container: tableOf(container),
    catchSignals: (caught) => void Object.assign(catcher, { caught }),
  }
}

/** With a terminal, everything goes through its line discipline. */
function streamsOf(container: ShippedProcess): Pick<Process, 'stdin' | 'stdout' | 'stderr'> {
  const { stdin, stdout, stderr, terminal: sizes, processes, pid } = container
  const keys = inputFrom(stdin)
  if (sizes === undefined) return { stdin: keys, stdout: sinkOf(stdout), stderr: sinkOf(stderr) }
  const opened = openTerminal({ keys, screen: sinkOf(stdout), signal: (name) => void processes.send(pid, `SIG${name}`) })
  const follow = async () => {
    for await (const size of sizes) opened.terminal.size = size
  }
  void quiet(follow(), 'the client may go at any time')
  // The client has disconnected: there is no more input.
  void quiet(opened.run(), 'the readers of its output see the end')
  return { stdin: opened.stdin, stdout: opened.stdout, stderr: opened.stdout }
}

function sinkOf(output: ProgramOutput): ByteSink {
  return { write: (bytes) => output.write(bytes), end: async () => {} }
}

function tableOf(container: ShippedProcess): ProcessTable {
  const { processes, facts, unknown, machine, groups, main, clock } = container
  return {
    hostname: facts.hostname,
    user: { ...facts.user, groups },
    machine,
    main: { stdout: sinkOf(main.stdout), stderr: sinkOf(main.stderr) },
    find(name) {
      const own = path.posix.basename(name)
      return COMMANDS.get(own) ?? (container.has(own) ? spawned(container) : unknown && played(container, unknown))
    },
    enter(argv, tell) {
      processes.requireRoom()
      return processes.enter({ argv, startedAtMs: clock.now() }, (signal) => tell(signal.replace(/^SIG/, '')))
    },
    reserve: () => processes.reserve(),
    send: (pid, signal) => processes.send(pid, `SIG${signal}`),
  }
}

/** A command of the image: a process of its own beside this one. */
function spawned(container: ShippedProcess): Program {
  return async ({ argv, stdin, stdout, stderr, environment, directory, signal }) => {
    const child = container.spawn(argv, {
      stdin: bytesFrom(stdin, signal),
      stdout: outputOf(stdout),
      stderr: outputOf(stderr),
      environment,
      workingDir: directory,
    })
    using _ = onAbort(signal, () => child.kill('SIGKILL'))
    try {
      return await child.exit
    } finally {
      signal.throwIfAborted()
    }
  }
}

function outputOf(sink: ByteSink): ProgramOutput {
  return { write: (data) => sink.write(Buffer.from(data)) }
}

async function* bytesFrom(input: Process['stdin'], signal: AbortSignal): AsyncGenerator<Uint8Array> {
  for (let piece = await input.read(signal); piece !== undefined; piece = await input.read(signal)) yield piece
}

/** A program that is not known. */
function played(container: ShippedProcess, unknown: UnknownProgram): Program {
  return async ({ signal, stderr, argv }) => {
    await writeText(stderr, `${argv[0]}: not executed: this container is simulated\n`)
    return playUnknown(container, unknown, signal)
  }
}

const DEVICES = new Set(['null', 'zero', 'random', 'urandom', 'tty', 'full'].map((name) => `/dev/${name}`))

function filesOf(files: ContainerFiles): FileSystem {
  return {
    async status(at) {
      try {
        const { kind, size, mode, mtimeMs, uid, gid } = await files.stat(at)
        return { kind: DEVICES.has(at) ? 'device' : kind, sizeBytes: size, mode, modifiedAtMs: mtimeMs, uid, gid }
      } catch (error) {
        if (isAbsent(error)) return undefined
        throw error
      }
    },
    read: (at) => files.readFile(at),
    write: async (at, bytes, { append = false, mode } = {}) =>
      DEVICES.has(at) ? undefined : (append ? files.appendFile : files.writeFile)(at, bytes, mode === undefined ? {} : { mode }),
    list: (at) => files.readdir(at),
    makeDirectory: (at, mode) => files.mkdir(at, mode === undefined ? {} : { mode }),
    remove: (at) => files.rm(at),
    rename: (from, to) => files.rename(from, to),
    changeMode: (at, mode) => files.chmod(at, mode),
    makeLink: (target, at) => files.symlink(target, at),
    readLink: (at) => files.readlink(at),
  }
}

const isAbsent = (error: unknown) => hasCode(error, 'ENOENT', 'ENOTDIR')
