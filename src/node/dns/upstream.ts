import { createSocket } from 'node:dgram'
import { isIPv6 } from 'node:net'
import packet, { type Answer, type Packet, type RecordType } from 'dns-packet'
import type { Clock } from '../../base/clock.ts'
import type { Random } from '../../base/random.ts'
import type { Reply } from './dns-message.ts'

export interface UpstreamDeps {
  /** The node's own name servers. */
  readonly servers: readonly string[]
  readonly clock: Clock
  readonly random: Random
}

/** A name server that does not answer is given up after this long, and the next one is asked. */
const TRY_MS = 2000
const PORT = 53
const SERVFAIL: Reply = { outcome: 'serverFailure', answers: [] }

/** Asks the node's own name servers, one after the other, what the cluster does not know. Never rejects. */
export async function askUpstream(name: string, type: RecordType, deps: UpstreamDeps): Promise<Reply> {
  for (const server of deps.servers) {
    const response = await ask(server, name, type, deps)
    if (response === undefined) continue
    const isMissing = response.rcode === 'NXDOMAIN'
    if (response.rcode !== 'NOERROR' && !isMissing) continue
    return { outcome: isMissing ? 'noName' : 'ok', answers: (response.answers ?? []).filter(isResponse) }
  }
  return SERVFAIL
}

const isResponse = ({ type }: Answer) => type !== 'OPT'

type Response = Packet & { readonly rcode?: string }

function ask(server: string, name: string, type: RecordType, { clock, random }: UpstreamDeps): Promise<Response | undefined> {
  const id = random.int(65_536)
  const socket = createSocket(isIPv6(server) ? 'udp6' : 'udp4')
  return new Promise((resolve) => {
    const end = (response: Response | undefined) => {
      cancel()
      socket.close()
      resolve(response)
    }
    const cancel = clock.after(TRY_MS, () => end(undefined))
    socket.on('error', () => end(undefined))
    socket.on('message', (bytes) => {
      const response = decoded(bytes)
      if (response?.id === id) end(response)
    })
    // What answers has to be who was asked: a connected socket drops all others.
    socket.connect(PORT, server, () =>
      socket.send(packet.encode({ type: 'query', id, flags: packet.RECURSION_DESIRED, questions: [{ type, name }] })),
    )
  })
}

function decoded(bytes: Buffer): Response | undefined {
  try {
    return packet.decode(bytes)
  } catch {
    return undefined
  }
}
