import { messageOf } from '../../../base/message-of.ts'
import { quiet } from '../../../base/quiet.ts'
import { sentJson } from '../../../machinery/json/sent-json.ts'
import { StatusError } from '../../../machinery/status-error.ts'
import type { ProcessStreams } from '../../../machinery/streams.ts'
import type { ContainerResources } from '../../../node/runtime/container-spec.ts'
import { RuntimeError } from '../../../node/runtime/runtime-error.ts'
import type { OpenedContainer, Play, PlayedContainer, RunCommand, SimulatedExit } from '../../../node/runtime/simulated/play.ts'
import type { Exchange } from '../../../threads/exchange.ts'
import { followProcess, wantedOf } from '../../threads/process-streams.ts'
import { type ContainerNews, type ContainerOrder, type OpenRequest, PROGRAM_SERVICES } from './programs-protocol.ts'
import type { ProgramsSession } from './programs-session.ts'

/** The exit code of a process that was killed. */
const KILLED = 137

/** A container whose programs run in a runner. One that a script plays is opened again when that has ended. */
export class RemoteContainer implements PlayedContainer {
  readonly main: Play | undefined
  readonly #opened: OpenedContainer
  readonly #node: string
  readonly #next: () => Promise<ProgramsSession>
  #life: Promise<Life>
  #standsIn = false
  #closed = false
  #end: ((exit: SimulatedExit) => void) | undefined

  static async open(opened: OpenedContainer, node: string, next: () => Promise<ProgramsSession>): Promise<RemoteContainer> {
    const life = await openLife(opened, node, await next())
    return new RemoteContainer(opened, node, { next, life })
  }

  private constructor(
    opened: OpenedContainer,
    node: string,
    { next, life }: { readonly next: () => Promise<ProgramsSession>; readonly life: Life },
  ) {
    this.#opened = opened
    this.#node = node
    this.#next = next
    this.#life = Promise.resolve(life)
    this.main = life.main ? this.#play(life) : undefined
    this.#follow(life)
  }

  async command(words: readonly string[], { unattended }: { readonly unattended: boolean }): Promise<RunCommand | undefined> {
    const { session, container } = await this.#alive()
    const requested = { container, words, unattended }
    const { found } = await session.link.ask(PROGRAM_SERVICES.find, requested)
    if (found !== true) return undefined
    return async (streams, signal) => {
      const running = followProcess(session.link.open(PROGRAM_SERVICES.run, { ...requested, wanted: wantedOf(streams) }), streams, signal)
      // Its client has gone, or the runner has ended: both have killed it.
      return (await quiet(running, 'a killed process has an exit code')) ?? { exitCode: KILLED }
    }
  }

  async placeholder(): Promise<void> {
    this.#standsIn = true
    const { session, container } = await this.#alive()
    await session.link.ask(PROGRAM_SERVICES.placeholder, { container })
  }

  async attach(streams: ProcessStreams, signal: AbortSignal): Promise<void> {
    const { session, container } = await this.#alive()
    const exchange = session.link.open(PROGRAM_SERVICES.attach, { container, wanted: wantedOf(streams) })
    await quiet(followProcess(exchange, streams, signal), 'the client has gone, or the process has ended')
  }

  update(resources: ContainerResources): void {
    void this.#life.then((life) => life.order({ do: 'update', resources }))
  }

  close(): void {
    this.#closed = true
    void this.#life.then(({ exchange }) => exchange.end())
  }

  #play(life: Life): Play {
    return {
      begin: (end) => {
        this.#end = end
        life.order({ do: 'begin' })
        if (life.lost !== undefined) this.#ended(life.lost)
      },
      ask: () => life.order({ do: 'ask' }),
      kill: (exitCode) => life.order({ do: 'kill', exitCode }),
    }
  }

  /** Does what the runner reports of the container, until that has ended. */
  #follow(life: Life): void {
    const read = async () => {
      for await (const message of life.exchange) this.#hear(sentJson(message.toString()) as unknown as ContainerNews)
    }
    void read().catch(async (error: unknown) => {
      const failed = { exitCode: KILLED, reason: 'Error', message: messageOf(error) }
      // A Status comes from a runner that lives.
      life.lost = error instanceof StatusError ? failed : await life.session.verdict(life.container)
      if (this.#closed) return
      this.#ended(life.lost)
      // Connections find nothing else that answers them.
      if (this.#standsIn && this.main === undefined) await quiet(this.placeholder(), 'the container may have ended, too')
    })
  }

  #hear(news: ContainerNews): void {
    const { log, end } = this.#opened
    if (news.is === 'log') for (const [line, atMs, unfinished] of news.lines) log.append(line, atMs, unfinished)
    else if (news.is === 'ended') this.#ended(news.exit)
    else if (news.is === 'end') end(news.exitCode)
  }

  #ended(exit: SimulatedExit): void {
    this.#end?.(exit)
    this.#end = undefined
  }

  /** The container in a runner that lives. */
  async #alive(): Promise<Life> {
    const life = await this.#life
    if (life.lost === undefined || this.main !== undefined) return life
    this.#life = this.#next()
      .then((session) => openLife(this.#opened, this.#node, session))
      .then((next) => {
        this.#follow(next)
        return next
      })
    // The next one tries again.
    this.#life.catch(() => {
      this.#life = Promise.resolve(life)
    })
    return this.#life
  }
}

/** A container in one runner. */
interface Life {
  readonly session: ProgramsSession
  readonly container: number
  readonly exchange: Exchange
  /** Whether a program is its main process. */
  readonly main: boolean
  order(order: ContainerOrder): void
  /** How the container ended with its runner. */
  lost?: SimulatedExit
}

async function openLife(
  { log: _log, end: _end, entered: _entered, ...opened }: OpenedContainer,
  node: string,
  session: ProgramsSession,
): Promise<Life> {
  const container = session.number()
  // JSON has no infinity; without a time a container runs for ever too.
  const { runMs = Number.POSITIVE_INFINITY, ...behaviour } = opened.behaviour
  const plain = { ...opened, behaviour: { ...behaviour, ...(Number.isFinite(runMs) && { runMs }) } }
  const requested: OpenRequest = { container, node, opened: plain }
  const exchange = session.link.open(PROGRAM_SERVICES.open, requested)
  const first = await exchange.next().catch((cause: unknown) => {
    throw new RuntimeError('runtime', 'the process of programs has ended', { cause })
  })
  const news = first && (sentJson(first.toString()) as unknown as ContainerNews)
  if (news?.is !== 'opened') {
    exchange.end()
    throw new RuntimeError(
      (news?.is === 'refused' && news.code) || 'runtime',
      news?.is === 'refused' ? news.message : 'the process of programs has ended',
    )
  }
  const order = (what: ContainerOrder) =>
    void quiet(Promise.resolve(exchange.send(JSON.stringify(what))), 'a process that has gone needs no order')
  return { session, container, exchange, main: news.main, order }
}
