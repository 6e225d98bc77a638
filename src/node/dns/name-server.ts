import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { type Socket as Connection, createServer, isIPv6, type Server } from 'node:net'
import type { Packet } from 'dns-packet'
import type { Clock } from '../../base/clock.ts'
import { quietErrors } from '../../base/quiet.ts'
import type { Random } from '../../base/random.ts'
import type { Reader } from '../../machinery/resource/definition.ts'
import { answerQuestion } from './answer-question.ts'
import { answerOf, type Reply, readQuery, writeReply } from './dns-message.ts'
import { askUpstream } from './upstream.ts'

export interface NameServerDeps {
  /** Services, endpoint slices and namespaces. */
  readonly objects: Reader
  /** Name servers for what is not of the cluster. */
  readonly upstream: readonly string[]
  readonly clock: Clock
  readonly random: Random
}

/** Of TCP; a message has at most 65,535 bytes after its length. */
const LENGTH_BYTES = 2
const IDLE_MS = 10_000

/** The name server of the cluster, over UDP and TCP. */
export class NameServer implements AsyncDisposable {
  readonly #deps: NameServerDeps
  readonly #open: (Socket | Server)[] = []

  constructor(deps: NameServerDeps) {
    this.#deps = deps
  }

  /** Listens at an address of this machine. Rejects with Node's error (`EADDRINUSE`, …). */
  async listen(address: string, port = 53): Promise<void> {
    const udp = createSocket(isIPv6(address) ? 'udp6' : 'udp4')
    this.#open.push(udp)
    udp.bind(port, address)
    await once(udp, 'listening')
    udp.on('message', (bytes, from) => {
      void this.#answer(bytes, 'udp').then((reply) => reply && udp.send(reply, from.port, from.address))
    })
    quietErrors(udp, 'a reply that cannot be sent is asked for again')
    const tcp = createServer((connection) => this.#converse(connection))
    this.#open.push(tcp)
    tcp.listen(port, address)
    await once(tcp, 'listening')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const one of this.#open.splice(0)) one.close()
  }

  #converse(connection: Connection): void {
    let pending = Buffer.alloc(0)
    const limit = () => this.#deps.clock.after(IDLE_MS, () => connection.destroy())
    let cancel = limit()
    connection.on('close', () => cancel())
    connection.on('error', () => connection.destroy())
    connection.on('data', (chunk: Buffer) => {
      cancel()
      cancel = limit()
      pending = Buffer.concat([pending, chunk])
      while (pending.length >= LENGTH_BYTES && pending.length >= LENGTH_BYTES + pending.readUInt16BE()) {
        const end = LENGTH_BYTES + pending.readUInt16BE()
        const query = pending.subarray(LENGTH_BYTES, end)
        pending = pending.subarray(end)
        void this.#answer(query, 'tcp').then((reply) => reply && connection.write(withLength(reply)))
      }
    })
  }

  /** Never rejects; undefined for what is no question. */
  async #answer(bytes: Buffer, over: 'udp' | 'tcp'): Promise<Buffer | undefined> {
    const query = readQuery(bytes)
    return query && writeReply(query, await this.#replyTo(query), over)
  }

  async #replyTo({ questions: [question] = [], opcode }: Packet & { readonly opcode?: string }): Promise<Reply> {
    if (question === undefined || (opcode !== undefined && opcode !== 'QUERY')) return { outcome: 'notImplemented', answers: [] }
    const { objects, upstream: servers, clock, random } = this.#deps
    const found = answerQuestion(question.name, question.type, objects)
    switch (found.kind) {
      case 'records':
        return { outcome: 'ok', answers: shuffled(found.records.map(answerOf), random), additional: found.additional.map(answerOf) }
      case 'no-data':
        return { outcome: 'ok', answers: [], negative: true }
      case 'no-name':
        return { outcome: 'noName', answers: [], negative: true }
      case 'forward': {
        const own = found.records.map(answerOf)
        const rest = await askUpstream(found.name, question.type, { servers, clock, random })
        // What is known of the cluster's own part is true, even if the rest cannot be had.
        return own.length > 0 ? { outcome: 'ok', answers: [...own, ...rest.answers] } : rest
      }
    }
  }
}

/** Clients that take the first address are spread. An alias comes before what it leads to. */
function shuffled<T extends { readonly type: string }>(answers: readonly T[], random: Random): readonly T[] {
  const isAlias = ({ type }: T) => type === 'CNAME'
  const rest = answers.filter((one) => !isAlias(one))
  const first = rest.length > 1 ? random.int(rest.length) : 0
  return [...answers.filter(isAlias), ...rest.slice(first), ...rest.slice(0, first)]
}

function withLength(message: Buffer): Buffer {
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt16BE(message.length)
  return Buffer.concat([length, message])
}
