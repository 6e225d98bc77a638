import { inspect } from 'node:util'
import { systemClock } from '../../../base/clock.ts'
import { messageOf } from '../../../base/message-of.ts'
import { nextTurn } from '../../../base/turns.ts'
import { sentJson } from '../../../machinery/json/sent-json.ts'
import type { LogSink } from '../../../node/runtime/container-log.ts'
import { RuntimeError } from '../../../node/runtime/runtime-error.ts'
import type { ContainerPrograms, PlayedContainer } from '../../../node/runtime/simulated/play.ts'
import type { Exchange } from '../../../threads/exchange.ts'
import type { ContainerNews, ContainerOrder, LoggedLine, OpenRequest } from './programs-protocol.ts'

/**
 * Characters of a log that wait while the nodes' side is behind: as much as a log's file holds. What is older is dropped, as by a rotation.
 */
const MOST_WAITING = 10 << 20

/** What one container does, for the nodes' side: lasts until either side ends the exchange. */
export async function serveContainer(
  { opened, container }: OpenRequest,
  exchange: Exchange,
  { programs, containers, entered }: ServingDeps,
): Promise<void> {
  const tell = (news: ContainerNews) => exchange.send(JSON.stringify(news))
  const log = new SentLog((lines) => tell({ is: 'log', lines }))
  let played: PlayedContainer
  try {
    const end = (exitCode: number) => void tell({ is: 'end', exitCode })
    played = await programs.open({ ...opened, log, end, entered: () => entered(container) })
  } catch (error) {
    const message = messageOf(error)
    void tell({ is: 'refused', code: error instanceof RuntimeError ? error.code : undefined, message })
    return exchange.end()
  }
  const begun = Promise.withResolvers<void>()
  containers.set(container, {
    played,
    begun: begun.promise,
    crash(error) {
      for (const line of inspect(error).split('\n')) log.append(line, systemClock.now())
      played.main?.kill(1)
    },
  })
  void tell({ is: 'opened', main: played.main !== undefined })
  try {
    for await (const message of exchange) {
      const order = sentJson(message.toString()) as unknown as ContainerOrder
      obey(played, order, (exit) => {
        log.flush()
        void tell({ is: 'ended', exit })
      })
      if (order.do === 'begin') begun.resolve()
    }
  } finally {
    containers.delete(container)
    played.close()
    exchange.end()
  }
}

/** A container that is open in this runner. */
export interface ServedContainer {
  readonly played: PlayedContainer
  /** Resolves when the order to begin the main process has been carried out: other exchanges may overtake it. */
  readonly begun: Promise<void>
  /** Ends its main process, because of an uncaught error, as Node would. */
  crash(error: unknown): void
}

export interface ServingDeps {
  /** Of the container's node. */
  readonly programs: ContainerPrograms
  readonly containers: Map<number, ServedContainer>
  /** Called before a program of the container goes on. */
  readonly entered: (container: number) => void
}

type Ended = Parameters<NonNullable<PlayedContainer['main']>['begin']>[0]

function obey({ main, update }: PlayedContainer, order: ContainerOrder, ended: Ended): void {
  switch (order.do) {
    case 'begin':
      main?.begin(ended)
      return
    case 'ask':
      main?.ask()
      return
    case 'kill':
      main?.kill(order.exitCode)
      return
    case 'update':
      update(order.resources)
      return
  }
}

/** A log whose lines leave together, once a turn, as long as the nodes' side takes them. */
class SentLog implements LogSink {
  readonly #send: (lines: readonly LoggedLine[]) => Promise<void> | undefined
  #lines: LoggedLine[] = []
  #characters = 0
  #scheduled = false
  #behind: Promise<void> | undefined

  constructor(send: (lines: readonly LoggedLine[]) => Promise<void> | undefined) {
    this.#send = send
  }

  append(line: string, atMs: number, unfinished?: 'unfinished'): void {
    if (this.#characters > MOST_WAITING) this.#drop()
    this.#lines.push(unfinished === undefined ? [line, atMs] : [line, atMs, unfinished])
    this.#characters += line.length
    if (this.#scheduled || this.#behind !== undefined) return
    this.#scheduled = true
    nextTurn(() => {
      this.#scheduled = false
      this.flush()
    })
  }

  room(): Promise<void> | undefined {
    return this.#behind
  }

  /** Sends what there is. */
  flush(): void {
    const lines = this.#lines
    if (lines.length === 0) return
    this.#drop()
    const sent = this.#send(lines)
    if (sent === undefined) return
    const next = () => {
      this.#behind = undefined
      this.flush()
    }
    // The nodes' side may have gone: then no log is kept.
    this.#behind = sent.then(next, () => this.#drop())
  }

  #drop(): void {
    this.#lines = []
    this.#characters = 0
  }
}
