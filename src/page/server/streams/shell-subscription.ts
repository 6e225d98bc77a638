import { messageOf } from '../../../base/message-of.ts'
import type { ByteSource, RemoteProcess } from '../../../machinery/streams.ts'
import type { Client } from '../../../sdk/client/client.ts'
import type { ClientMessage } from '../../wire/messages.ts'
import type { ObjectName } from '../../wire/object-name.ts'
import { shownText } from '../../wire/shown-text.ts'
import type { Subscription } from '../subscription.ts'
import { containersOf } from './containers-of.ts'
import { KeptLines } from './kept-lines.ts'

interface ShellSubscriptionDeps {
  readonly id: number
  readonly client: Client
  readonly object: ObjectName
  /** `''`: the first container. */
  readonly container: string
  changed(): void
}

/** A shell in a container: lines go in and come out; it has no terminal. */
export class ShellSubscription implements Subscription {
  readonly #deps: ShellSubscriptionDeps
  readonly #stop = new AbortController()
  readonly #kept = new KeptLines()
  readonly #process: Promise<RemoteProcess>
  #state: 'starting' | 'running' | 'ended' = 'starting'
  #problem = ''

  constructor(deps: ShellSubscriptionDeps) {
    this.#deps = deps
    this.#process = this.#start()
    void this.#follow()
  }

  /** A line that was typed. */
  ask(message: ClientMessage): boolean {
    if (message.type !== 'line') return false
    this.#kept.add(`$ ${message.line}`)
    void this.#send(`${message.line}\n`)
    return true
  }

  next() {
    const { id, changed } = this.#deps
    const { from, lines, hasMore } = this.#kept.take()
    if (hasMore) changed()
    return { type: 'shell', id, page: { from, lines, state: this.#state, problem: this.#problem } } as const
  }

  stop(): void {
    this.#stop.abort()
    this.#process.then(
      (process) => process[Symbol.asyncDispose](),
      () => {},
    )
  }

  async #start(): Promise<RemoteProcess> {
    const { client, object, container } = this.#deps
    const { namespace, name } = object
    const { signal } = this.#stop
    const chosen = container || ((await containersOf(client, object, signal))[0] ?? '')
    return client.exec({ namespace, name }, ['sh'], { stdin: true, container: chosen, signal })
  }

  async #send(text: string): Promise<void> {
    try {
      await (await this.#process).stdin.write(new TextEncoder().encode(text))
    } catch (error) {
      this.#fail(error)
    }
  }

  async #follow(): Promise<void> {
    try {
      const process = await this.#process
      this.#state = 'running'
      this.#deps.changed()
      await Promise.all([this.#read(process.stdout), this.#read(process.stderr)])
      const { exitCode } = await process.exit
      this.#kept.add(`(it has ended with ${exitCode})`)
      this.#state = 'ended'
      this.#deps.changed()
    } catch (error) {
      this.#fail(error)
    }
  }

  async #read(source: ByteSource): Promise<void> {
    for await (const chunk of source) {
      this.#kept.write(chunk)
      this.#deps.changed()
    }
    this.#kept.end()
  }

  #fail(error: unknown): void {
    if (this.#stop.signal.aborted) return
    this.#state = 'ended'
    this.#problem = shownText(messageOf(error))
    this.#deps.changed()
  }
}
