import { format } from 'node:util'
import { quiet } from '../../base/quiet.ts'
import { lookUpService } from '../../machinery/network/cluster-names.ts'
import { recordsOf } from '../../machinery/network/dns-records.ts'
import { candidateNames } from '../../machinery/network/resolver.ts'
import type { ByteSource, TerminalSize } from '../../machinery/streams.ts'
import { ConnectError } from '../network/connect-error.ts'
import { lookUp } from '../network/look-up.ts'
import { isLoopback } from '../network/port-table.ts'
import { FileError } from '../volumes/file-error.ts'
import { clusterFetch } from './cluster-fetch.ts'
import { createContainerFiles } from './container-files.ts'
import type { ContainerWorld } from './container-world.ts'
import { findCommand } from './find-command.ts'
import { converse, openDatagramPort } from './open-datagrams.ts'
import { type AnyHandler, openPort } from './open-port.ts'
import type { ProcessScope } from './process-scope.ts'
import type { ChildProcess, ListenOptions, ProgramOutput, SpawnOptions } from './program.ts'
import { ProgramProcess } from './program-process.ts'
import type { AnyProgram, ShippedProcess, UnknownProgram } from './shipped/shipped-process.ts'

/** What a process is begun with. */
export interface ProcessInit {
  readonly argv: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly workingDir: string
  readonly stdin: ByteSource
  readonly stdout: ProgramOutput
  readonly stderr: ProgramOutput
  readonly terminal: AsyncIterable<TerminalSize> | undefined
  /** What the main process of the container prints to. */
  readonly main: { readonly stdout: ProgramOutput; readonly stderr: ProgramOutput }
  /** See `ShippedProcess`. */
  readonly unknown: UnknownProgram | undefined
}

/** Begins a program in a container. */
export function startProcess(program: AnyProgram, init: ProcessInit, world: ContainerWorld): ProgramProcess {
  const process = new ProgramProcess({ clock: world.clock, stopSignal: world.stopSignal, stderr: init.stderr, entered: world.entered })
  const began = { argv: init.argv, startedAtMs: world.clock.now() }
  const listed = world.processes.enter(began, (signal) => process.deliver(signal))
  process.scope.hold(() => listed[Symbol.dispose]())
  process.start(program, containerProcess(process, { ...init, pid: listed.pid }, world))
  return process
}

/** The world as one process sees it. */
function containerProcess(process: ProgramProcess, init: ProcessInit & { readonly pid: number }, world: ContainerWorld): ShippedProcess {
  const { scope } = process
  const { fileSystem, facts, objects, network, stack, random, resolver } = world
  const clock = scope.clock()
  const step = () => scope.step()
  const paced = (output: ProgramOutput): ProgramOutput => ({
    write: async (data) => {
      if (scope.over.aborted) return step()
      // What is printed is printed now, also by those who do not wait.
      const written = output.write(data)
      void quiet(written, 'programs need not wait for what they print')
      await step()
      await scope.awaited(written)
    },
  })
  const read = (path: string) => Buffer.from(fileSystem.read(path.startsWith('/') ? path : `${init.workingDir}/${path}`)).toString()
  const addressOf = (host: string): string => (host === 'localhost' ? '127.0.0.1' : (lookUp(host, world)[0] ?? ''))
  const connect = async (host: string, port: number, signal: AbortSignal) => {
    await step()
    const connection = await network.dial({ kind: 'stack', stack }, addressOf(host), port, signal)
    const letGo = scope.hold(() => connection.destroy())
    connection.once('close', letGo)
    return connection
  }
  const stdout = paced(init.stdout)
  return {
    argv: init.argv,
    args: init.argv.slice(1),
    environment: init.environment,
    workingDir: init.workingDir,
    facts,
    files: createContainerFiles({ fileSystem, workingDir: init.workingDir, step, ended: scope.over }),
    stdin: pacedSource(init.stdin, scope),
    stdout,
    stderr: paced(init.stderr),
    log(...values) {
      void quiet(stdout.write(`${format(...values)}\n`), 'programs need not wait for what they print')
    },
    terminal: init.terminal,
    get signal() {
      return process.signal
    },
    onSignal: (name, handler) => process.onSignal(name, handler),
    clock,
    random,
    async listen(port: number, handler: AnyHandler, options: ListenOptions = {}) {
      await step()
      const opened = openPort(port, handler, options, {
        entered: world.entered,
        stack,
        read,
        failed: (_what, error) => process.complain(error),
        hold: (letGo) => scope.hold(letGo),
        closed: () => process.portClosed(),
      })
      process.portOpened()
      return opened
    },
    connect: (host, port, { signal } = {}) =>
      scope.awaited(connect(host, port, signal === undefined ? scope.over : AbortSignal.any([scope.over, signal]))),
    async listenDatagrams(port, handler, { host = '' } = {}) {
      await step()
      const failed = (error: unknown) => process.complain(error)
      const opened = openDatagramPort(port, host, handler, { stack, scope, failed, closed: () => process.portClosed() })
      process.portOpened()
      return opened
    },
    async openDatagrams(host, port) {
      await step()
      const to = { ip: addressOf(host), port }
      // The first message would be lost, and not every client sends another.
      await scope.awaited(Promise.resolve(network.followPods(to.ip, stack)))
      return converse(scope, (receive) => network.openDatagrams(stack, to, receive))
    },
    fetch: (url, fetchInit = {}) => scope.awaited(clusterFetch(url, fetchInit, { connect, read, over: scope.over })),
    async lookup(name) {
      await step()
      return lookUp(name, world)
    },
    async lookupService(name) {
      await step()
      for (const candidate of resolver.cluster ? candidateNames(name, resolver) : []) {
        const records = lookUpService(candidate, objects)
        if (records !== undefined) return records
      }
      throw new ConnectError('ENOTFOUND', 'querySrv', { hostname: name })
    },
    async records(name, type, { search }) {
      await step()
      const names = resolver.cluster ? (search ? candidateNames(name, resolver) : [name]) : []
      return names.map((candidate) => recordsOf(candidate, type, objects)).find((found) => found.length > 0) ?? []
    },
    get client() {
      return world.client()
    },
    spawn: (argv, options = {}) => spawn(process, argv, { init, options, world }),
    realFolder(path) {
      const folder = world.realFolder(path)
      if (folder === undefined) throw new FileError('ENOENT', 'realFolder', path)
      return folder
    },
    exit: (code) => process.leave(code),
    pid: init.pid,
    processes: world.processes,
    machine: world.machine,
    groups: world.groups,
    fileSystem,
    volumes: fileSystem.mounts().filter(({ path }) => world.mountPaths.has(path)),
    messagePath: world.messagePath,
    hold: (letGo) => scope.hold(letGo),
    main: { stdout: paced(init.main.stdout), stderr: paced(init.main.stderr) },
    unknown: init.unknown,
    reaches: (ip) => isLoopback(ip) || stack.ips.includes(ip) || network.owns(ip),
    has: (word) => findCommand(word, world.image ?? world.placeholder) !== undefined,
  }
}

/** One who reads again and again what has ended must not keep others from their turn. */
async function* pacedSource(source: ByteSource, scope: ProcessScope): AsyncGenerator<Uint8Array> {
  const chunks = source[Symbol.asyncIterator]()
  for (;;) {
    await scope.step()
    const { value, done } = await scope.awaited(chunks.next())
    if (done) return
    yield value
  }
}

interface Spawn {
  readonly init: ProcessInit
  readonly options: SpawnOptions
  readonly world: ContainerWorld
}

/** An input that is at its end. */
export async function* nothing(): AsyncGenerator<Uint8Array> {}

function spawn(parent: ProgramProcess, argv: readonly string[], { init, options, world }: Spawn): ChildProcess {
  const [word = ''] = argv
  const program = findCommand(word, world.image ?? world.placeholder)
  if (program === undefined) throw new FileError('ENOENT', 'spawn', word)
  world.processes.requireRoom()
  const child = startProcess(
    program,
    { ...init, argv, stdin: options.stdin ?? nothing(), ...definedOf(options), terminal: undefined },
    world,
  )
  const letGo = parent.scope.hold(() => child.kill())
  return {
    exit: parent.scope.awaited(
      child.exit.then((code) => {
        letGo()
        return code
      }),
    ),
    kill: (signal = 'SIGTERM') => child.deliver(signal),
  }
}

function definedOf({ stdout, stderr, environment, workingDir }: SpawnOptions) {
  return {
    ...(stdout !== undefined && { stdout }),
    ...(stderr !== undefined && { stderr }),
    ...(environment !== undefined && { environment }),
    ...(workingDir !== undefined && { workingDir }),
  }
}
