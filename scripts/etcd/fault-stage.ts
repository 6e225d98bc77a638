import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { upstream } from '../../test/upstream.ts'
import type { FaultResponse, RequestStep, WatchOutcome } from './recorded-step.ts'

interface Process {
  readonly pid: number
  /** How the process ended. */
  isDown(): { readonly code?: number | null } | undefined
  readonly log?: string
  signal(name: string): void
  stop(): Promise<void>
}

interface Etcd extends Process {
  readonly url: string
  put(key: string, value: string): Promise<number>
  del(key: string): Promise<number>
  range(key: string): Promise<{ readonly revision: number; readonly kvs: readonly { readonly value: string }[] }>
  compact(revision: number): Promise<unknown>
  alarms(): Promise<readonly { readonly memberID: string; readonly alarm: string }[]>
  call(path: string, body: unknown): Promise<unknown>
}

type Asked = (method: string, path: string, body?: unknown, headers?: Record<string, string>, timeoutMs?: number) => Promise<FaultResponse>

interface MemberStatus {
  readonly leader: string
  readonly header: { readonly member_id: string }
}

interface Server extends Process {
  readonly request: Asked
  readonly kube: unknown
}

/** A watch that is open, or has ended. */
export interface OpenWatch {
  readonly opened: Promise<unknown>
  readonly code?: number
  readonly events: readonly { readonly type: string; readonly object?: { readonly message?: string } }[]
  readonly ended?: number
  close(): void
}

/** What the recordings' runner (`lib.mjs`) shares. */
interface Library {
  makePki(folder: string): string
  startEtcd(init: { dir: string; port: number; flags?: readonly string[] }): Promise<Etcd>
  startServer(init: { template: string; etcd: string; port: number; dir: string; pki: string; ready?: number }): Promise<Server>
  watch(kube: unknown, path: string): OpenWatch
}

export interface StageSetup {
  /** More of etcd's own flags. */
  readonly etcdFlags?: readonly string[]
  /** More of the server's flags. */
  readonly serverFlags?: string
  readonly members?: number
  /** The story starts them itself. */
  readonly empty?: boolean
}

const { makePki, startEtcd, startServer, watch } = (await import(path.join(upstream, 'etcd/lib.mjs'))) as Library
const SERVER = path.join(import.meta.dirname, 'server.sh')
export const PORT = 24_700
/** Longer than any limit of the server. */
const PATIENCE_MS = 75_000

/** An etcd, and a server on it that has the config map `a`. */
export class Stage implements AsyncDisposable {
  readonly folder: string
  readonly pki: string
  readonly #setup: StageSetup
  etcds: Etcd[] = []
  /** Where the server finds etcd; undefined: at its members. */
  etcdUrl: string | undefined
  #server: Server | undefined

  private constructor(folder: string, setup: StageSetup) {
    this.folder = folder
    this.#setup = setup
    this.pki = makePki(path.join(folder, 'pki'))
  }

  static async open(folder: string, setup: StageSetup): Promise<Stage> {
    const stage = new Stage(folder, setup)
    if (setup.empty === true) return stage
    await stage.startEtcds()
    await stage.startServer()
    await stage.server.request('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: 'a' }, data: { k: 'v' } })
    return stage
  }

  get etcd(): Etcd {
    const [etcd] = this.etcds
    if (etcd === undefined) throw new Error('invariant: a stage has an etcd')
    return etcd
  }

  get server(): Server {
    if (this.#server === undefined) throw new Error('invariant: a stage has a server')
    return this.#server
  }

  /** Starts the members that do not run. */
  async startEtcds(flags = this.#setup.etcdFlags ?? []): Promise<void> {
    const { members = 1 } = this.#setup
    const ports = Array.from({ length: members }, (_, i) => PORT + 2 * i)
    const cluster = ports.map((port, i) => `m${i}=http://127.0.0.1:${port + 1}`).join(',')
    this.etcds = await Promise.all(
      ports.map((port, i) => {
        const running = this.etcds[i]
        if (running !== undefined && running.isDown() === undefined) return running
        const named = members === 1 ? [] : ['--name', `m${i}`, '--initial-cluster', cluster]
        return startEtcd({ dir: this.etcdFolder(i), port, flags: [...flags, ...named] })
      }),
    )
  }

  /** Those of these members that do not lead. */
  async followers(members: readonly Etcd[]): Promise<readonly Etcd[]> {
    const leads = await Promise.all(
      members.map(async (member) => {
        const status = (await member.call('/v3/maintenance/status', {})) as MemberStatus
        return status.leader === status.header.member_id
      }),
    )
    return members.filter((_, i) => leads[i] === false)
  }

  etcdFolder(i: number): string {
    return path.join(this.folder, `etcd-${i}`)
  }

  async startServer(ready = 60_000): Promise<void> {
    const dir = path.join(this.folder, 'server')
    mkdirSync(dir, { recursive: true })
    const etcd = this.etcdUrl ?? this.etcds.map(({ url }) => url).join(',')
    const template = `${SERVER} {etcd} {port} {dir} {pki} ${this.#setup.serverFlags ?? ''}`
    this.#server = await startServer({ template, etcd, port: PORT + 20, dir, pki: this.pki, ready })
  }

  openWatch(at: string): OpenWatch {
    return watch(this.server.kube, at)
  }

  /** What a watch of some time delivers. */
  async watched(at: string, forMs: number): Promise<WatchOutcome> {
    const open = this.openWatch(at)
    await open.opened
    await sleep(forMs)
    open.close()
    return outcomeOf(open)
  }

  /** Sends a recorded request. */
  async ask(step: RequestStep): Promise<FaultResponse> {
    const [method = '', url = '', ...words] = step.do.split(' ')
    const sizeKib = Number(/^\((\d+) KiB/.exec(words.join(' '))?.[1] ?? 0)
    const body = sizeKib > 0 ? revision(sizeKib) : step.body
    try {
      return await this.server.request(method === 'WATCH' ? 'GET' : method, url, body, {}, PATIENCE_MS)
    } catch (error) {
      return { error: String(error) }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server?.stop()
    for (const etcd of this.etcds) {
      etcd.signal('SIGCONT')
      await etcd.stop()
    }
  }
}

export const outcomeOf = ({ code = 0, events, ended }: OpenWatch): WatchOutcome => ({
  code,
  events,
  count: events.length,
  ...(ended !== undefined && { endedAfterMs: ended }),
})

let serial = 0
const revision = (sizeKib: number) => ({
  apiVersion: 'apps/v1',
  kind: 'ControllerRevision',
  metadata: { name: `r-${serial++}` },
  data: { x: 'y'.repeat(sizeKib * 1024) },
  revision: 1,
})
