import type { RequestListener } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Clock } from '../../base/clock.ts'
import type { Random } from '../../base/random.ts'
import type { ServiceRecord } from '../../machinery/network/cluster-names.ts'
import type { ByteSource, TerminalSize } from '../../machinery/streams.ts'
import type { Client } from '../../sdk/client/client.ts'
import type { PodRef } from '../runtime/container-spec.ts'
import type { ContainerFiles } from './container-files.ts'
import type { ProcessImage } from './processes/process-image.ts'

/**
 * How a program ends: a number is its exit code. Nothing: 0, once the ports that it opened are closed. Who throws ends with 1, and what he
 * threw is printed.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: a program that returns nothing is a program like any other.
export type ProgramResult = number | undefined | void

/** What an image runs, in TypeScript: a container's process. It shares the thread with all other programs: it must not keep it. */
export type Program = (container: ContainerProcess) => ProgramResult | Promise<ProgramResult>

/** An image: its program, and what the image would bring along. */
export interface ImageProgram {
  /** What runs, unless the manifest's `command` names one of `commands` or a program that every container has. */
  readonly run: Program
  /** Other commands of the image, by path or name: for `command`, probes, hooks and `kubectl exec`. */
  readonly commands?: Readonly<Record<string, Program>>
  /**
   * Any other command that somebody runs in the container: `argv` is the command, and the streams are his. Default: such a command is not
   * found.
   */
  readonly exec?: Program
  /** What the process is called, and its first words, when the manifest says nothing. Default: the image's name. */
  readonly entrypoint?: readonly string[]
  /** The words after that when the manifest gives no `args`. */
  readonly args?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  /** Default `/`. */
  readonly workingDir?: string
  /** What lies in the image, by absolute path. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>
  /** The signal that stops it, unless the pod names one. Default `SIGTERM`. */
  readonly stopSignal?: string
}

/**
 * Programs by the names of images, with `*` for any characters but `/` and `**` for any; a name without a tag means every tag. The first
 * that fits is taken.
 */
export type ImagePrograms = Readonly<Record<string, Program | ImageProgram | ProcessImage>>

/** What a process writes to. */
export interface ProgramOutput {
  /** Resolves when there is room for more; rejects when there is no reader any more. */
  write(data: string | Uint8Array): Promise<void>
}

/** Where a process runs. */
export interface ContainerFacts {
  readonly pod: PodRef
  /** Of the container in its pod. */
  readonly name: string
  readonly image: string
  /** How often it was started before. */
  readonly restarts: number
  readonly hostname: string
  readonly nodeName: string
  /** Of the pod; of the node where it uses the node's network. */
  readonly ips: readonly string[]
  readonly user: { readonly uid: number; readonly gid: number }
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  /** The TCP ports that the manifest gives the container, and those that its probes ask. */
  readonly ports: readonly number[]
}

/** Answers requests as `fetch` asks them. */
export type FetchHandler = (request: Request) => Response | Promise<Response>

/** How a port is served: `http` as in `node:http`, `fetch` by web `Request` and `Response`, `connection` as bytes. */
export type PortHandler =
  | { readonly http: RequestListener }
  | { readonly fetch: FetchHandler }
  | { readonly connection: (connection: Duplex) => void }

/** With what a port proves itself. PEM, or files of the container, which are read again for each connection: a renewed secret is taken. */
export interface PortTls {
  readonly cert?: string
  readonly key?: string
  readonly certFile?: string
  readonly keyFile?: string
  /** Authorities of clients; with them clients need a certificate that one of these signed. */
  readonly clientCa?: string
}

/** How a port is opened. */
export interface ListenOptions {
  /** Default: all addresses of the pod, and loopback. */
  readonly host?: string
  /** Without: no TLS. */
  readonly tls?: PortTls
}

/** A port that is open. */
export interface ProgramPort extends AsyncDisposable {
  readonly port: number
  /** Accepts no new connection; open ones are closed. */
  close(): void
}

/** A message (UDP) that came to a port. */
export interface ProgramDatagram {
  readonly bytes: Uint8Array
  /** Who sent it. */
  readonly from: { readonly address: string; readonly port: number }
  /** Sends something back to where it came from. */
  reply(bytes: Uint8Array): void
}

/** Messages (UDP) to one port, and those that come back, until it is closed. */
export interface DatagramConversation extends AsyncIterable<Uint8Array>, AsyncDisposable {
  /**
   * Arrival is not reported: it is lost where nothing listens, where a policy forbids it, and when it is longer than 65,507
   * bytes.
   */
  send(data: string | Uint8Array): Promise<void>
  close(): void
}

/** What `fetch` takes beyond what the web's does. */
export interface ProgramFetchInit extends RequestInit {
  /** Authorities (PEM) that are trusted in place of the machine's; or a file of the container. */
  readonly ca?: string
  readonly caFile?: string
  /** What this side proves itself with (PEM). */
  readonly cert?: string
  readonly key?: string
  /** Take any certificate. Default false. */
  readonly insecureSkipTlsVerify?: boolean
}

/** A process that another one has started. */
export interface ChildProcess {
  /** Never rejects. */
  readonly exit: Promise<number>
  /** Default `SIGTERM`. */
  kill(signal?: string): void
}

/** How a process starts another one; what is not said is the same as its own. */
export interface SpawnOptions {
  readonly stdin?: ByteSource
  readonly stdout?: ProgramOutput
  readonly stderr?: ProgramOutput
  readonly environment?: Readonly<Record<string, string>>
  readonly workingDir?: string
}

/**
 * One process of a container, and all that it may use of the world. When it ends, its ports, connections and timers end with it, and
 * whatever of this it waits for, or asks for later, never comes: so it goes no further.
 */
export interface ContainerProcess {
  /** The command's words after its name. */
  readonly args: readonly string[]
  /** With its name. */
  readonly argv: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly workingDir: string
  readonly facts: ContainerFacts
  readonly files: ContainerFiles
  /** Ends at once without an input. */
  readonly stdin: ByteSource
  readonly stdout: ProgramOutput
  readonly stderr: ProgramOutput
  /** Prints a line on stdout, as `console.log` does. */
  log(...values: readonly unknown[]): void
  /** The sizes of the terminal, now and after each change; undefined: there is none. */
  readonly terminal: AsyncIterable<TerminalSize> | undefined
  /**
   * Aborted when the process gets a signal to stop, and when it is killed. A process that has never looked at it, nor has a handler, ends
   * at the first signal as Unix processes do; one that has is given the grace period of its pod.
   */
  readonly signal: AbortSignal
  /**
   * Calls back for each signal of this name (`SIGHUP`, `SIGUSR1`, the pod's stop signal, …), which then ends nothing by itself. What is
   * returned takes it back.
   */
  onSignal(name: string, handler: () => void): () => void
  /** The cluster's time. What waits by it ends with the process. */
  readonly clock: Clock
  readonly random: Random
  /**
   * Opens a port of the pod (0: a free one). A function of one parameter or none answers a `Request`, one of two or more is a
   * `RequestListener` (an express app, say).
   * @throws {ConnectError} with `EADDRINUSE` when it is open already
   */
  listen(port: number, handler: FetchHandler, options?: ListenOptions): Promise<ProgramPort>
  listen(port: number, handler: RequestListener, options?: ListenOptions): Promise<ProgramPort>
  listen(port: number, handler: PortHandler, options?: ListenOptions): Promise<ProgramPort>
  /**
   * Opens a connection to a pod, a service or a name in the cluster. Nothing outside of the cluster can be reached.
   * @throws {ConnectError} with the codes of `node:net` and `node:dns`
   */
  connect(host: string, port: number, options?: { readonly signal?: AbortSignal }): Promise<Duplex>
  /**
   * Opens a port of the pod for messages (UDP; 0: a free one).
   * @throws {ConnectError} with `EADDRINUSE` when it is open already
   */
  listenDatagrams(port: number, handler: (datagram: ProgramDatagram) => void, options?: { readonly host?: string }): Promise<ProgramPort>
  /**
   * Opens the way for messages (UDP) to a pod, a service or a name in the cluster.
   * @throws {ConnectError} with `ENOTFOUND` when the name is unknown
   */
  openDatagrams(host: string, port: number): Promise<DatagramConversation>
  /** `fetch` over the cluster's network. @throws {TypeError} when there is no answer, with the reason as its `cause` */
  fetch(url: string | URL, init?: ProgramFetchInit): Promise<Response>
  /** The addresses of a name, as the pod's `resolv.conf` and `hosts` say. @throws {ConnectError} with `ENOTFOUND` */
  lookup(name: string): Promise<readonly string[]>
  /** Ports and targets of `_http._tcp.web.default.svc.cluster.local`. @throws {ConnectError} with `ENOTFOUND` */
  lookupService(name: string): Promise<readonly ServiceRecord[]>
  /** A client of the API as the pod's service account, without sockets. */
  readonly client: Client
  /** Runs another program of the container. @throws {FileError} with `ENOENT` when there is none of that name */
  spawn(argv: readonly string[], options?: SpawnOptions): ChildProcess
  /**
   * The folder of this machine behind a path of the container, if there is one (that of device plugins). @throws {FileError} with `ENOENT`
   */
  realFolder(path: string): string
  /** Ends the process with this code at once, from wherever it is called. Never returns: it throws. */
  exit(code: number): never
}
