import https from 'node:https'
import type { Duplex } from 'node:stream'
import type { WebhookIdentity } from '../../webhook-callers/webhook-identities.ts'

/** The most agents (by authority and server name) that are kept; more only while they are in use. */
const MOST_AGENTS = 64
/** The most idle connections per agent. */
const MOST_IDLE = 16
/** The most connections per webhook. */
const MOST_SOCKETS = 128

/** The trust anchors and the server name of a webhook, and the client's identity. */
export interface WebhookPeer {
  /** PEM in base64; the system's authorities if absent. */
  readonly caBundle?: string | undefined
  readonly servername?: string | undefined
  readonly identity?: WebhookIdentity | undefined
}

interface PooledAgent {
  readonly agent: https.Agent
  calls: number
}

/**
 * The connection pools of webhooks, by trust anchors, server name and identity. The least recently used ones are dropped first, but never
 * one in use.
 */
export class WebhookAgents implements Disposable {
  readonly #kept = new Map<string, PooledAgent>()

  get size(): number {
    return this.#kept.size
  }

  /** Runs `call` with the agent for such a peer. */
  async use<T>(to: WebhookPeer, call: (agent: https.Agent) => Promise<T>): Promise<T> {
    const key = `${to.caBundle ?? ''} ${to.servername ?? ''} ${to.identity?.cert ?? ''}`
    const kept = this.#kept.get(key) ?? { agent: newAgent(to), calls: 0 }
    // The map is ordered by last use.
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

/** A request option: opens the connection below TLS in place of a socket of the machine. */
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
    // As in Go, every certificate of the bundle is a trust anchor, self-signed or not.
    allowPartialTrustChain: true,
    ...(ca === undefined ? {} : { ca }),
    ...(servername === undefined ? {} : { servername }),
    ...(identity?.cert === undefined ? {} : { cert: identity.cert }),
    ...(identity?.key === undefined ? {} : { key: identity.key }),
  })
  // The declared type is for sockets only, but any stream works.
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
