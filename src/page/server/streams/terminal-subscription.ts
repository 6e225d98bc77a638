import { messageOf } from '../../../base/message-of.ts'
import type { ByteSource, RemoteProcess } from '../../../machinery/streams.ts'
import type { Client } from '../../../sdk/client/client.ts'
import type { ClientMessage } from '../../wire/messages.ts'
import { shownText } from '../../wire/shown-text.ts'
import type { TerminalPage, TerminalQuery } from '../../wire/streams.ts'
import type { Subscription } from '../subscription.ts'
import { type ContainerOfPod, containersOf } from './containers-of.ts'
import { KeptBytes } from './kept-bytes.ts'

interface TerminalSubscriptionDeps {
  readonly id: number
  readonly client: Client
  readonly query: TerminalQuery
  changed(): void
}

/** Characters on their way into a container that does not read them. */
const MAX_TYPED = 256 * 1024

/** A terminal: a shell in a container, or the container's own process. */
export class TerminalSubscription implements Subscription {
  readonly #deps: TerminalSubscriptionDeps
  readonly #stop = new AbortController()
  readonly #kept = new KeptBytes()
  readonly #process: Promise<RemoteProcess>
  #containers: readonly ContainerOfPod[] = []
  #hasTty = true
  #takesInput = true
  #state: TerminalPage['state'] = 'starting'
  #exitCode: number | null = null
  #problem = ''
  /** What was typed is written in order. */
  #written: Promise<void> = Promise.resolve()
  #typed = 0

  constructor(deps: TerminalSubscriptionDeps) {
    this.#deps = deps
    this.#process = this.#start()
    void this.#follow()
  }

  /** What was typed, or another size of the window. */
  ask(message: ClientMessage): boolean {
    if (message.type === 'keys') this.#type(message.text)
    else if (message.type === 'resize')
      this.#process.then(
        (process) => process.resize(message.size),
        () => {},
      )
    else return false
    return true
  }

  next() {
    const { id, changed } = this.#deps
    const { bytes, hasMore } = this.#kept.take()
    if (hasMore) changed()
    const page: TerminalPage = {
      containers: this.#containers.map(({ name }) => name),
      state: hasMore ? 'running' : this.#state,
      hasTty: this.#hasTty,
      takesInput: this.#takesInput,
      exitCode: this.#exitCode,
      output: Buffer.from(bytes).toString('base64'),
      problem: this.#problem,
    }
    return { type: 'terminal', id, page } as const
  }

  stop(): void {
    this.#stop.abort()
    this.#process.then(
      (process) => process[Symbol.asyncDispose](),
      () => {},
    )
  }

  async #start(): Promise<RemoteProcess> {
    const { client, query } = this.#deps
    const { object, container, command, size } = query
    const { signal } = this.#stop
    this.#containers = await containersOf(client, object, signal)
    const chosen = this.#containers.find(({ name }) => name === container) ?? this.#containers[0]
    if (chosen === undefined) throw new Error('the pod has no container')
    if (command === 'attach') [this.#hasTty, this.#takesInput] = [chosen.tty, chosen.stdin]
    const options = { container: chosen.name, stdin: this.#takesInput, tty: this.#hasTty, signal }
    const process = command === 'shell' ? await client.exec(object, ['sh'], options) : await client.attach(object, options)
    if (this.#hasTty) process.resize(size)
    return process
  }

  #type(text: string): void {
    if (!this.#takesInput || this.#state === 'ended') return
    this.#typed += text.length
    if (this.#typed > MAX_TYPED) {
      this.#fail(new Error('the container does not read what is typed'))
      this.stop()
      return
    }
    this.#written = this.#written.then(async () => {
      try {
        await (await this.#process).stdin.write(new TextEncoder().encode(text))
        this.#typed -= text.length
      } catch (error) {
        this.#fail(error)
      }
    })
  }

  async #follow(): Promise<void> {
    try {
      const process = await this.#process
      this.#state = 'running'
      this.#deps.changed()
      await Promise.all([this.#read(process.stdout), this.#read(process.stderr)])
      this.#exitCode = (await process.exit).exitCode
      this.#state = 'ended'
      this.#deps.changed()
    } catch (error) {
      this.#fail(error)
    }
  }

  async #read(source: ByteSource): Promise<void> {
    for await (const chunk of source) {
      const room = this.#kept.write(chunk)
      this.#deps.changed()
      await room
    }
  }

  #fail(error: unknown): void {
    if (this.#stop.signal.aborted) return
    this.#state = 'ended'
    this.#problem = shownText(messageOf(error))
    this.#deps.changed()
  }
}
