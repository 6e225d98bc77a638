import { onAbort } from '../base/on-abort.ts'
import { Slots } from '../base/slots.ts'
import type { Later } from '../base/steps.ts'
import { nextTurn } from '../base/turns.ts'
import { sentJson } from '../machinery/json/sent-json.ts'
import { decodeJsonInTurns, encodeJson } from '../machinery/json/strict-json.ts'
import type { JsonObject } from '../machinery/object.ts'
import { StatusError } from '../machinery/status-error.ts'
import { Exchange, type ExchangeLink } from './exchange.ts'
import { FRAME, type Frame, type FrameKind, FrameWriter, framesOf } from './frames.ts'
import { ObjectTexts } from './object-texts.ts'

/** What the link needs of a `MessagePort` or a `Worker`. */
export interface LinkPort {
  postMessage(parcel: ArrayBuffer, transfer: ArrayBuffer[]): void
  on(event: 'message', listener: (parcel: ArrayBuffer) => void): unknown
}

/** Answers an exchange that the other side has opened; what it throws fails the exchange. `requested` is its request. */
export type LinkService = (requested: JsonObject, exchange: Exchange) => Later<void>

/** By the names under which the other side opens exchanges. */
export type Services = Readonly<Record<string, LinkService>>

/** As many calls of one side wait for their answers at the same time. */
const CALLS_IN_FLIGHT = 1024

/** A parcel that has grown so large leaves at once. */
const PARCEL_BYTES = 1 << 20

/**
 * Exchanges between two threads over one port. What is written in one turn of the event loop leaves as one parcel. Both sides may offer
 * services, and open exchanges.
 */
export class Link implements ExchangeLink {
  /** For calls that are answered at once: it bounds how many the other side has to hold. */
  readonly calls = new Slots(() => CALLS_IN_FLIGHT)
  /** The objects that come over it. */
  readonly texts = new ObjectTexts()
  readonly #port: LinkPort
  #services: Services
  readonly #writer = new FrameWriter()
  /** Opened by this side, and by the other. */
  readonly #own = new Map<number, Exchange>()
  readonly #others = new Map<number, Exchange>()
  #last = 0
  #flushing = false
  #closed: Error | undefined

  constructor(port: LinkPort, services: Services = {}) {
    this.#port = port
    this.#services = services
    port.on('message', (parcel) => this.#receive(parcel))
  }

  /** How many exchanges are open, in both directions. */
  get size(): number {
    return this.#own.size + this.#others.size
  }

  /** Offers more services. */
  offer(services: Services): void {
    this.#services = { ...this.#services, ...services }
  }

  /** Opens an exchange. `ended`: this side sends no messages. */
  open(service: string, requested: object, { ended = false }: { readonly ended?: boolean } = {}): Exchange {
    this.#last = (this.#last + 1) >>> 0
    const exchange = new Exchange(this, { id: this.#last, own: true, sentEnd: ended, heardEnd: false })
    if (this.#closed !== undefined) {
      exchange.broken(this.#closed)
      return exchange
    }
    this.#own.set(exchange.id, exchange)
    this.write(exchange, ended ? FRAME.openEnded : FRAME.open, `${service}\n`, encodeJson(requested))
    return exchange
  }

  /** One question and one answer, both JSON. */
  async ask(service: string, requested: object, signal?: AbortSignal): Promise<JsonObject> {
    const bytes = await wholeResponse(this.open(service, requested, { ended: true }), signal)
    return sentJson(bytes.toString()) as JsonObject
  }

  /** The other side is gone: every exchange fails with this error, and so does every later one. */
  close(error: Error): void {
    this.#closed ??= error
    for (const exchange of [...this.#own.values(), ...this.#others.values()]) exchange.broken(error)
    this.#own.clear()
    this.#others.clear()
  }

  write({ id, own }: Exchange, kind: FrameKind, ...parts: readonly (string | Uint8Array)[]): number {
    if (this.#closed !== undefined) return 0
    const payloadBytes = this.#writer.write({ kind, own, id }, ...parts)
    if (this.#writer.length >= PARCEL_BYTES) this.#flush()
    else this.#flushLater()
    return payloadBytes
  }

  over({ id, own }: Exchange): void {
    ;(own ? this.#own : this.#others).delete(id)
  }

  #flushLater(): void {
    if (this.#flushing) return
    this.#flushing = true
    nextTurn(() => {
      this.#flushing = false
      this.#flush()
    })
  }

  #flush(): void {
    if (this.#writer.length === 0 || this.#closed !== undefined) return
    const parcel = this.#writer.take()
    this.#port.postMessage(parcel, [parcel])
  }

  #receive(parcel: ArrayBuffer): void {
    if (this.#closed !== undefined) return
    for (const frame of framesOf(parcel)) {
      if (frame.kind === FRAME.open || frame.kind === FRAME.openEnded) this.#opened(frame)
      // An exchange that is over here may still be spoken of there.
      else (frame.own ? this.#own : this.#others).get(frame.id)?.hear(frame.kind, frame.payload)
    }
  }

  #opened({ id, kind, payload }: Frame): void {
    const exchange = new Exchange(this, { id, own: false, sentEnd: false, heardEnd: kind === FRAME.openEnded })
    this.#others.set(id, exchange)
    const end = payload.indexOf(LINE_END)
    const name = payload.toString('latin1', 0, end)
    const service = this.#services[name] ?? notOffered(name)
    const requested = payload.subarray(end + 1)
    try {
      const running =
        requested.length > MOST_AT_ONCE
          ? decodeJsonInTurns(requested).then(({ value }) => service(value as JsonObject, exchange))
          : service(sentJson(requested.toString()) as JsonObject, exchange)
      if (running !== undefined) running.catch((error: unknown) => exchange.fail(error))
    } catch (error) {
      exchange.fail(error)
    }
  }
}

const LINE_END = 0x0a

/** Longer requests are decoded in turns: some milliseconds. */
const MOST_AT_ONCE = 256 * 1024

const notOffered = (name: string): LinkService => {
  return () => Promise.reject(new StatusError({ code: 404, reason: 'NotFound', message: `the other thread offers no service ${name}` }))
}

/** All that the other side says until it ends. Aborting the signal ends the exchange. */
export async function wholeResponse(exchange: Exchange, signal?: AbortSignal): Promise<Buffer> {
  using _ = onAbort(signal, () => exchange.fail(signal?.reason))
  const all: Buffer[] = []
  for await (const message of exchange) all.push(message)
  return all[0] !== undefined && all.length === 1 ? all[0] : Buffer.concat(all)
}
