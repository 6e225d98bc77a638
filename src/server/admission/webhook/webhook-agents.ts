import https from 'node:https'
import type { Duplex } from 'node:stream'
import type { WebhookIdentity } from '../../webhook-callers/webhook-identities.ts'

/** Connections to this many different authorities and names are kept; more only while they are in use. */
const MOST_AGENTS = 64
/** Idle connections that are kept for each. */
const MOST_IDLE = 16
/** Connections at once to one webhook. */
const MOST_SOCKETS = 128

/** Who is on the other side, and who this side is to it. */
export interface WebhookPeer {
  /** PEM in base64; the system's authorities when absent. */
  readonly caBundle?: string | undefined
  readonly servername?: string | undefined
  readonly identity?: WebhookIdentity | undefined
}

interface Kept {
  readonly agent: https.Agent
  calls: number
}

/**
 * The connections to webhooks, by what they trust and whom they ask for. Those that were used least lately go first, and none that is in
 * use.
 */
export class WebhookAgents implements Disposable {
  readonly #kept = new Map<string, Kept>()

  get size(): number {
    return this.#kept.size
  }

  /** Carries out `call` with the connections to such a peer. */
  async use<T>(to: WebhookPeer, call: (agent: https.Agent) => Promise<T>): Promise<T> {
    const key = `${to.caBundle ?? ''} ${to.servername ?? ''} ${to.identity?.cert ?? ''}`
    const kept = this.#kept.get(key) ?? { agent: newAgent(to), calls: 0 }
    // The last of the map is the one used last.
    this.#kept.delete(key)
    this.#kept.set(key, kept)
    kept.calls++
    this.#trim()
    try {
      return await call(kept.agent)
    } finally {
      kept.calls--
      this.#trim()
    }
  }

  #trim(): void {
    if (this.#kept.size <= MOST_AGENTS) return
    for (const [key, { agent, calls }] of this.#kept) {
      if (calls > 0) continue
      agent.destroy()
      this.#kept.delete(key)
      if (this.#kept.size <= MOST_AGENTS) return
    }
  }

  [Symbol.dispose](): void {
    for (const { agent } of this.#kept.values()) agent.destroy()
    this.#kept.clear()
  }
}

/** An option of a request: how the connection below TLS is opened, in place of a socket of the machine. */
export interface InsideOption {
  readonly inside?: (() => Promise<Duplex>) | undefined
}

type Connect = (options: InsideOption, done: (error: Error | null, socket?: Duplex) => void) => Duplex | undefined

function newAgent({ caBundle, servername, identity }: WebhookPeer): https.Agent {
  const ca = caBundle ? Buffer.from(caBundle, 'base64').toString() : undefined
  const agent = new https.Agent({
    keepAlive: true,
    maxSockets: MOST_SOCKETS,
    maxFreeSockets: MOST_IDLE,
    // As Go does: a certificate of the bundle is trusted, whether it signed itself or not.
    allowPartialTrustChain: true,
    ...(ca === undefined ? {} : { ca }),
    ...(servername === undefined ? {} : { servername }),
    ...(identity?.cert === undefined ? {} : { cert: identity.cert }),
    ...(identity?.key === undefined ? {} : { key: identity.key }),
  })
  // Declared for sockets alone, and written for any stream.
  const secure = agent.createConnection.bind(agent) as unknown as (options: object) => Duplex
  const connect: Connect = (options, done) => {
    if (options.inside === undefined) return secure(options)
    options.inside().then(
      (socket) => done(null, secure({ ...options, socket })),
      (error: Error) => done(error),
    )
    return undefined
  }
  Object.assign(agent, { createConnection: connect })
  return agent
}
