import { onAbort } from '../../base/on-abort.ts'
import type { ProcessStreams } from '../../machinery/streams.ts'
import { isDeadly, signalExitCode } from '../../shell/processes/signals.ts'
import type { LogSink } from '../runtime/container-log.ts'
import type { ContainerResources, ContainerSpec } from '../runtime/container-spec.ts'
import type { Behaviour } from '../runtime/simulated/behaviour.ts'
import type { Play, PlayedContainer, RunCommand, SimulatedExit } from '../runtime/simulated/play.ts'
import { isBareImage, lastName } from '../runtime/simulated/words.ts'
import { MOST_MESSAGE_BYTES } from '../runtime/termination-message.ts'
import type { Container } from '../types/pod.ts'
import type { FileSystem } from '../volumes/file-system.ts'
import { nothing, startProcess } from './container-process.ts'
import type { ContainerWorld } from './container-world.ts'
import { findCommand, mainProgram, standsIn } from './find-command.ts'
import { MainStreams } from './main-streams.ts'
import { playUnknown, serveDeclared } from './play-unknown.ts'
import type { ProgramOutput } from './program.ts'
import type { ProgramProcess } from './program-process.ts'
import type { AnyProgram, UnknownProgram } from './shipped/shipped-process.ts'

export interface ProgramContainerInit {
  readonly spec: ContainerSpec
  /** As the pod's manifest defines it; undefined: the pod is not in the API any more. */
  readonly definition: (Container & ContainerExtras) | undefined
  readonly world: ContainerWorld
  readonly log: LogSink
  readonly behaviour: Behaviour
  /** Ends the main process, real or played, with this code. */
  readonly end: (exitCode: number) => void
  /** Its limits have changed. */
  readonly update: (resources: ContainerResources) => void
  /** Called at the end. */
  readonly closed: () => void
}

/** The parts of `v1.Container` that only a program's container needs. */
export interface ContainerExtras {
  readonly stdinOnce?: boolean
  readonly terminationMessagePath?: string
}

const WENT_WELL: UnknownProgram = { runMs: 0, exitCode: 0 }
/**
 * What servers take as a word to read their configuration or to open their logs anew: it does not end one of whom nothing else is known.
 */
const RELOADS: ReadonlySet<string> = new Set(['SIGHUP', 'SIGUSR1', 'SIGUSR2'])

/** The programs of one container: its main process, and commands that are run in it. */
export function programContainer({ spec, definition, world, log, behaviour, end, update, closed }: ProgramContainerInit): PlayedContainer {
  const foreign = world.image === undefined
  const running = new Set<ProgramProcess>()
  const main = mainProgram(spec, { image: world.image, shipped: behaviour.byCommand === true })
  const config = { stdin: spec.stdin, stdinOnce: definition?.stdinOnce === true, tty: spec.tty }
  const streams = new MainStreams(config, { log, clock: world.clock })
  let process: ProgramProcess | undefined
  let finish: (exitCode: number) => void = () => {}

  const exit = (exitCode: number): SimulatedExit => {
    streams.end()
    const text = read(world, world.messagePath)
    return { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error', ...(text !== '' && { message: text }) }
  }
  const output = (to: 'stdout' | 'stderr'): ProgramOutput => ({ write: (data) => streams.write(to, bytesOf(data)) })
  // Also a main process that a script plays is there to be seen, and to be ended.
  const shown = spec.command.length + spec.args.length > 0 ? [...spec.command, ...spec.args] : [lastName(spec.image)]
  const obey = (signal: string) => isDeadly(signal) && !RELOADS.has(signal) && end(signalExitCode(signal))
  const listed = main === undefined ? world.processes.enter({ argv: shown, startedAtMs: world.clock.now() }, obey) : undefined
  const mainOutput = { stdout: output('stdout'), stderr: output('stderr') }
  const play: Play | undefined = main && {
    begin(end) {
      finish = (exitCode) => {
        finish = () => {}
        end(exit(exitCode))
      }
      const { argv } = main
      const program = foreign && !isBareImage(spec.image) ? unlessUnknown(main.program, world.fileSystem) : main.program
      const { workingDir } = world
      const environment = environmentOf(world, spec.tty)
      const { runMs, exitCode = 0 } = behaviour
      const unknown = foreign ? { exitCode, ...(runMs !== undefined && { runMs }) } : undefined
      const init = { argv, environment, workingDir, unknown, stdin: streams.stdin, terminal: streams.terminal }
      process = startProcess(program, { ...init, ...mainOutput, main: mainOutput }, world)
      process.exit.then((code) => finish(code))
    },
    ask: () => process?.deliver(world.stopSignal),
    kill(exitCode) {
      process?.kill()
      finish(exitCode)
    },
  }
  const run =
    (program: AnyProgram, argv: readonly string[], taken: UnknownProgram | undefined): RunCommand =>
    async (of, signal) => {
      let guessed = false
      const unknown = taken && {
        ...taken,
        played() {
          guessed = true
        },
      }
      const { workingDir } = world
      const environment = environmentOf(world, of.tty)
      const command = startProcess(program, { argv, environment, workingDir, unknown, ...streamsOf(of), main: mainOutput }, world)
      running.add(command)
      using _ = onAbort(signal, () => command.kill())
      const exitCode = await command.exit
      running.delete(command)
      // A script that did not like what such a program says cannot tell anything either.
      return { exitCode: guessed && !signal.aborted ? (taken?.exitCode ?? exitCode) : exitCode }
    }
  return {
    main: play,
    command(words, { unattended }) {
      // A command that is not known succeeds for a probe, and is not found for a person.
      const unknown = foreign && unattended ? WENT_WELL : undefined
      const program = findCommand(words[0] ?? '', world.image ?? world.placeholder) ?? world.image?.exec ?? (unknown && (() => 0))
      return program && run(program, words, unknown)
    },
    async placeholder() {
      if (world.image !== undefined || main !== undefined) return
      const opened = Promise.withResolvers<void>()
      const known = standsIn(spec.command, world.placeholder) ? world.placeholder : undefined
      const declared: AnyProgram = async (container) => {
        await serveDeclared(container)
        opened.resolve()
      }
      const argv = [...(spec.command.length > 0 ? spec.command : [spec.image]), ...spec.args]
      const { workingDir, environment } = world
      const init = {
        argv,
        workingDir,
        environment,
        unknown: undefined,
        stdin: nothing(),
        terminal: undefined,
        ...mainOutput,
        main: mainOutput,
      }
      const server = startProcess(known?.run ?? declared, init, world)
      running.add(server)
      await (known === undefined ? Promise.race([opened.promise, server.exit]) : server.listening)
    },
    update,
    attach: (of, signal) => streams.join(of, signal, process?.exit ?? Promise.resolve()),
    close() {
      process?.kill()
      for (const one of running) one.kill()
      streams.end()
      listed?.[Symbol.dispose]()
      closed()
    },
  }
}

/**
 * A script that failed for want of a file that only its image could have: what it would have done is not known, so it is played as if there
 * were no script.
 */
function unlessUnknown(program: AnyProgram, fileSystem: FileSystem): AnyProgram {
  return async (container) => {
    const code = await program(container)
    const { unknown } = container
    return typeof code === 'number' && code !== 0 && fileSystem.missed && unknown !== undefined ? playUnknown(container, unknown) : code
  }
}

/** A terminal has a kind, as runtimes set it. */
function environmentOf({ environment }: ContainerWorld, tty: boolean | undefined): ContainerWorld['environment'] {
  return tty === true ? { TERM: 'xterm', ...environment } : environment
}

function streamsOf({ stdin, stdout, stderr, resizes, tty }: ProcessStreams) {
  const write = (sink: typeof stdout): ProgramOutput => ({
    write: async (data) => {
      await sink?.write(bytesOf(data))
    },
  })
  return {
    stdin: stdin ?? nothing(),
    stdout: write(stdout),
    stderr: write(tty ? stdout : stderr),
    terminal: tty ? (resizes ?? none()) : undefined,
  }
}
async function* none(): AsyncGenerator<never> {}

const bytesOf = (data: string | Uint8Array): Uint8Array => (typeof data === 'string' ? Buffer.from(data) : Uint8Array.from(data))

function read({ fileSystem }: ContainerWorld, path: string): string {
  try {
    return Buffer.from(fileSystem.read(path).subarray(-MOST_MESSAGE_BYTES)).toString()
  } catch {
    return ''
  }
}
