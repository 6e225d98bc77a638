import { messageOf } from '../../../base/message-of.ts'
import type { Saved } from '../../wire/draft-page.ts'
import type { ClientMessage, ServerMessage } from '../../wire/messages.ts'
import { TICK_MS } from '../../wire/protocol.ts'
import { readClientMessage } from '../../wire/read-client-message.ts'
import { DraftSubscription } from '../edit/draft-subscription.ts'
import { saveDraft } from '../edit/save-draft.ts'
import { BenchSubscription } from '../kinds/bench-subscription.ts'
import { kindsSubscription } from '../kinds/kinds-subscription.ts'
import { labCall } from '../lab/lab-call.ts'
import { LabSubscription } from '../lab/lab-subscription.ts'
import { machineSubscription } from '../machine/machine-subscription.ts'
import { ObjectSubscription } from '../object/object-subscription.ts'
import { OutcomeSubscription } from '../outcome-subscription.ts'
import { FindSubscription } from '../overview/find-subscription.ts'
import { OverviewSubscription } from '../overview/overview-subscription.ts'
import { RelationsSubscription } from '../overview/relations-subscription.ts'
import { type PastWorld, pastWorld } from '../past/past-world.ts'
import { RowsSubscription } from '../rows/rows-subscription.ts'
import { LogsSubscription } from '../streams/logs-subscription.ts'
import { TerminalSubscription } from '../streams/terminal-subscription.ts'
import type { Subscription } from '../subscription.ts'
import { makeProposedChange } from '../why/make-change.ts'
import { TrySubscription } from '../why/try-subscription.ts'
import { whySubscription } from '../why/why-subscription.ts'
import { type FrameSocket, Frames } from './frames.ts'
import type { PageWorld } from './page-world.ts'

/** The socket of a session. */
export interface SessionSocket extends FrameSocket {
  /** Closes the connection; the reason is shown. */
  close(code: number, reason: string): void
  terminate(): void
}

/** Messages that change something, dry runs too. */
const WRITES: ReadonlySet<ClientMessage['type']> = new Set(['draft', 'save', 'try', 'change', 'lab-call', 'terminal', 'bench'])

/** The most subscriptions of one browser; a view has two or three. */
const MAX_SUBSCRIPTIONS = 32
/** A browser that has taken nothing for so long is disconnected. */
const STALLED_MS = 30_000
/** WebSocket's code for a violated policy (RFC 6455, 7.4.1). */
const POLICY_VIOLATION = 1008

interface Subscribed {
  readonly subscription: Subscription
  /** Undefined: it is about the present. */
  readonly at: string | undefined
}

/** One browser: its subscriptions, and what it is sent. */
export class Session {
  readonly #world: PageWorld
  readonly #socket: SessionSocket
  readonly #frames: Frames
  readonly #subscriptions = new Map<number, Subscribed>()
  /** A tab shows one revision at a time. */
  #past: PastWorld | undefined
  #cancelTick = () => {}
  #backlogSinceMs: number | undefined

  constructor(world: PageWorld, socket: SessionSocket) {
    this.#world = world
    this.#socket = socket
    this.#frames = new Frames(socket, world.clock)
    const { clusterName, serverAddress, clock, readOnly, user, canViewAs } = world
    this.#send({ type: 'hello', cluster: clusterName, server: serverAddress, nowMs: clock.now(), readOnly, user, canViewAs })
    this.#tick()
  }

  /** A message of the browser. One that it would not send ends the connection. */
  async receive(text: string): Promise<void> {
    try {
      await this.#handle(readClientMessage(text))
    } catch (error) {
      this.#socket.close(POLICY_VIOLATION, messageOf(error).slice(0, 100))
    }
  }

  stop(): void {
    this.#cancelTick()
    this.#frames.stop()
    for (const { subscription } of this.#subscriptions.values()) subscription.stop()
    this.#subscriptions.clear()
    this.#past?.[Symbol.dispose]()
  }

  async #handle(message: ClientMessage): Promise<void> {
    const { id } = message
    const at = 'at' in message ? message.at : undefined
    const known = this.#subscriptions.get(id)
    if (known !== undefined && known.at === at && known.subscription.ask?.(message) === true) {
      this.#frames.asked(known.subscription)
      return
    }
    if (known !== undefined) this.#end(id, known.subscription)
    if (message.type === 'cancel') return
    if (this.#subscriptions.size >= MAX_SUBSCRIPTIONS) throw new Error(`a browser may have ${MAX_SUBSCRIPTIONS} subscriptions`)
    let subscription: Subscription | undefined
    const changed = () => {
      // What has ended may still hear of a change: its state must not replace that of its successor.
      if (subscription !== undefined && this.#subscriptions.get(id)?.subscription === subscription) this.#frames.changed(subscription)
    }
    subscription = this.#open(message, this.#worldAt(at), changed)
    this.#subscriptions.set(id, { subscription, at })
    changed()
  }

  #worldAt(at: string | undefined): PageWorld {
    if (at === undefined) return this.#world
    if (this.#past?.at !== at) {
      this.#past?.[Symbol.dispose]()
      this.#past = pastWorld(this.#world, at)
    }
    return this.#past.world
  }

  #open(message: Exclude<ClientMessage, { type: 'cancel' }>, world: PageWorld, changed: () => void): Subscription {
    const { client, clock, catalogue, collections, index, lab, forks, readOnly } = world
    const { id } = message
    if (readOnly && WRITES.has(message.type)) throw new Error('this page is read-only')
    const savedSubscription = (outcome: Promise<Saved>) =>
      new OutcomeSubscription(
        outcome.then((saved) => ({ type: 'saved', id, saved })),
        changed,
      )
    switch (message.type) {
      case 'rows':
        return new RowsSubscription({ id, catalogue, collections, clock, changed }, message.query)
      case 'object':
        return new ObjectSubscription({ ...message, client, clock, catalogue, changed })
      case 'kinds':
        return kindsSubscription({ id, catalogue, clock, changed })
      case 'overview':
        return new OverviewSubscription(index, id, changed)
      case 'relations':
        return new RelationsSubscription(index, { id, object: message.object }, changed)
      case 'draft':
        return new DraftSubscription({ id, client, clock, catalogue, changed }, message.draft)
      case 'save':
        return savedSubscription(saveDraft({ client, catalogue }, message.draft))
      case 'why':
        return whySubscription({ id, client, clock, object: message.object, canTry: forks !== undefined && !readOnly, changed })
      case 'machine':
        return machineSubscription({ id, client, clock, object: message.object, changed })
      case 'logs':
        return new LogsSubscription({ ...message, client, changed })
      case 'terminal':
        return new TerminalSubscription({ id, client, query: message.query, changed })
      case 'keys':
      case 'resize':
        throw new Error('there is no terminal for it')
      case 'bench':
        return new BenchSubscription({ id, client, changed }, message.draft)
      case 'lab':
        return new LabSubscription({ id, client, catalogue, forks, canAdvance: lab?.advance !== undefined, changed })
      case 'lab-call':
        if (forks === undefined || lab === undefined) throw new Error('this cluster has no lab here')
        return new OutcomeSubscription(
          labCall({ action: message.action, lab, forks }).then((done) => ({ type: 'lab-done', id, done })),
          changed,
        )
      case 'try':
        if (forks === undefined) throw new Error('this cluster cannot be forked from here')
        return new TrySubscription({ id, client, clock, forks, object: message.object, change: message.change, changed })
      case 'change':
        return savedSubscription(makeProposedChange(client, message.object, message.change))
      case 'find':
        return new FindSubscription(index, { id, text: message.text }, changed)
    }
  }

  #end(id: number, subscription: Subscription): void {
    subscription.stop()
    this.#frames.forget(subscription)
    this.#subscriptions.delete(id)
  }

  /** Tells the time of the cluster, by which the browser knows that the connection lives; ends it if the browser does not read. */
  #tick(): void {
    const { clock } = this.#world
    this.#cancelTick = clock.after(TICK_MS, () => this.#tick())
    const nowMs = clock.monotonic()
    if (this.#socket.bufferedAmount === 0) {
      this.#backlogSinceMs = undefined
      this.#send({ type: 'tick', nowMs: clock.now() })
      return
    }
    this.#backlogSinceMs ??= nowMs
    if (nowMs - this.#backlogSinceMs > STALLED_MS) this.#socket.terminate()
  }

  #send(message: ServerMessage): void {
    this.#socket.send(JSON.stringify(message))
  }
}
