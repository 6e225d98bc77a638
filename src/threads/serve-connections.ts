import type { ConnectCall, Connections } from '../machinery/api-call.ts'
import type { JsonObject } from '../machinery/object.ts'
import { notFound } from '../machinery/status-error.ts'
import type { RemotePorts } from '../machinery/streams.ts'
import { joinDuplex } from './byte-duplex.ts'
import type { Exchange } from './exchange.ts'
import { joinProcess } from './process-frames.ts'

const BEGUN = new Uint8Array()

/** Answers `command`: exec and attach. */
export async function serveCommand(connect: Connections, call: ConnectCall, exchange: Exchange): Promise<void> {
  const process = await connect.command({ ...call, signal: exchange.signal })
  await exchange.send(BEGUN)
  await joinProcess(exchange, process)
}

/** Answers `bytes`: what is read until it ends, or the reader has had enough. */
export async function serveBytes(connect: Connections, call: ConnectCall, exchange: Exchange): Promise<void> {
  const source = await connect.bytes({ ...call, signal: exchange.signal })
  await exchange.send(BEGUN)
  for await (const chunk of source) await exchange.send(chunk)
  exchange.end()
}

/** The port-forwards of a link: a session each, and an exchange for each connection of it. */
export class PortSessions {
  readonly #sessions = new Map<number, RemotePorts>()

  /** Answers `ports`; the session lasts until the client ends it. */
  async serve(connect: Connections, call: ConnectCall, exchange: Exchange): Promise<void> {
    const ports = await connect.ports({ ...call, signal: exchange.signal })
    this.#sessions.set(exchange.id, ports)
    await exchange.send(BEGUN)
    exchange.signal.addEventListener(
      'abort',
      () => {
        this.#sessions.delete(exchange.id)
        void ports[Symbol.asyncDispose]()
      },
      { once: true },
    )
  }

  /** Answers `port`: one connection of a session. */
  async connect({ session, port }: JsonObject, exchange: Exchange): Promise<void> {
    const ports = this.#sessions.get(Number(session))
    if (ports === undefined) throw notFound({ group: '', resource: 'portforwards' }, String(session))
    await joinDuplex(exchange, await ports.open(Number(port)))
  }
}
