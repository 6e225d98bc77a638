/**
 * A server in a process of its own, and the longest turns of its event loop (CPU time of its main thread) while a piece of work is done.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type Api, type ApiResponse, openApi } from './api.ts'
import { appears, type Measured, startMeasured, wait } from './measured-cluster.ts'
import type { Profile } from './profile-parts.ts'

/** The work fails if it has not ended by then; the server is started anew. */
const LIMIT_MS = 60_000
/** Work that an answer leaves behind (garbage, controllers) is measured with it. */
const AFTER_MS = 150

export interface TurnProbeOptions {
  /** Prints what each longest turn was spent on. */
  readonly profile?: boolean
}

export interface MeasuredWork {
  /** Milliseconds, the longest first; turns below 8 ms are left out. */
  readonly turns: readonly number[]
  /** Undefined if there was none in time. */
  readonly answer: ApiResponse | undefined
}

/** One turn, as `turn-meter.ts` writes it. */
interface Turn {
  readonly begin: number
  readonly end: number
  readonly cpuMs: number
}

export class TurnProbe implements AsyncDisposable {
  readonly #folder = mkdtempSync(path.join(os.tmpdir(), 'turns-'))
  readonly #turns = path.join(this.#folder, 'turns')
  readonly #profile: boolean
  #running: { readonly api: Api; readonly server: Measured } | undefined

  constructor({ profile = false }: TurnProbeOptions) {
    this.#profile = profile
    writeFileSync(this.#turns, '')
  }

  /** The connection to the server, which is started if there is none. */
  async api(): Promise<Api> {
    this.#running ??= await this.#start()
    return this.#running.api
  }

  /** The longest turns until the work has ended, and a moment longer. */
  async measure(what: string, work: (api: Api, kubeconfig: string) => Promise<ApiResponse>): Promise<MeasuredWork> {
    const api = await this.api()
    const kubeconfig = this.#running?.server.kubeconfig ?? ''
    if (this.#profile) await this.#toggleProfile()
    const before = readFileSync(this.#turns, 'utf8').length
    const answer = await Promise.race([work(api, kubeconfig).catch(() => undefined), wait(LIMIT_MS)])
    await wait(AFTER_MS)
    const turns = readFileSync(this.#turns, 'utf8').slice(before).trim().split('\n').map(readTurn)
    turns.sort((a, b) => b.cpuMs - a.cpuMs)
    if (answer === undefined) await this.#stop()
    else if (this.#profile) await this.#explain(what, turns[0])
    return { turns: turns.map(({ cpuMs }) => cpuMs), answer: answer ?? undefined }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stop()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  async #start() {
    const data = path.join(this.#folder, 'data')
    rmSync(data, { recursive: true, force: true })
    mkdirSync(data)
    const server = await startMeasured({
      folder: data,
      profile: 'profile',
      root: path.join(import.meta.dirname, '..'),
      nodes: 1,
      preload: ['turn-meter.ts'],
      env: { TURN_FILE: this.#turns },
      silent: true,
    })
    await wait(1000)
    return { api: await openApi(server.kubeconfig, 1), server }
  }

  async #stop(): Promise<void> {
    this.#running?.api[Symbol.dispose]()
    this.#running?.server.child.kill('SIGKILL')
    this.#running = undefined
  }

  async #toggleProfile(): Promise<void> {
    this.#running?.server.child.kill('SIGUSR2')
    await wait(500)
  }

  async #explain(what: string, turn: Turn | undefined): Promise<void> {
    await this.#toggleProfile()
    const file = this.#running?.server.profileFile ?? ''
    const profile = JSON.parse(await appears(file)) as Profile
    rmSync(file)
    console.log(`--- ${what} ${turn?.cpuMs} ms`)
    if (turn !== undefined) printFunctions(profile, turn)
  }
}

function readTurn(line: string): Turn {
  const [begin = 0, end = 0, cpuMs = 0] = line.split(' ').map(Number)
  return { begin, end, cpuMs }
}

/** The functions in which a turn was spent, with what they called and alone. */
function printFunctions(profile: Profile, { begin, end }: Turn): void {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]))
  const parents = new Map(profile.nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node.id] as const)))
  const spent = new Map<string, { all: number; alone: number }>()
  let time = profile.startTime
  for (const [i, sample] of profile.samples.entries()) {
    const ms = (profile.timeDeltas[i] ?? 0) / 1000
    time += ms * 1000
    if (time < begin || time > end) continue
    const counted = new Set<string>()
    for (let id: number | undefined = sample; id !== undefined; id = parents.get(id)) {
      const frame = nodes.get(id)?.callFrame
      const name = `${frame?.functionName || '(anonymous)'} ${frame?.url.replace(/.*\/src\//, '')}:${(frame?.lineNumber ?? 0) + 1}`
      const sums = spent.get(name) ?? { all: 0, alone: 0 }
      if (id === sample) sums.alone += ms
      if (!counted.has(name)) sums.all += ms
      counted.add(name)
      spent.set(name, sums)
    }
  }
  const rows = [...spent].filter(([, { alone }]) => alone > 1).toSorted(([, a], [, b]) => b.alone - a.alone)
  for (const [name, { all, alone }] of rows.slice(0, 14))
    console.log(`${all.toFixed(0).padStart(6)} ${alone.toFixed(0).padStart(6)}  ${name}`)
}
