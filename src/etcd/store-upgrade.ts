import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Random } from '../base/random.ts'
import { STORE_PATH, STORE_PROTOCOL } from '../storage/remote/messages.ts'
import { challengeHeader, isProof, STORE_SCHEME, type StoreKey } from '../storage/remote/store-key.ts'

export interface UpgradeDeps {
  /** Serves an upgraded connection of an API server. */
  readonly store: (peer: Duplex) => void
  /** Clients prove that they can read this file; undefined: a client certificate has authenticated them. */
  readonly key: StoreKey | undefined
  readonly random: Random
}

/** The two requests by which an API server connects to the store: a GET whose response is a challenge, then the upgrade with the proof. */
export interface Upgrades {
  /** Handles the first request; false if it is for another path. */
  challenge(request: IncomingMessage, response: ServerResponse): boolean
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
}

/**
 * A port of the loopback is open to each user of the machine, and to any proxy of a cluster's tenant. A client of the store is
 * cluster-admin of its cluster, so access depends on the file mode of the key.
 */
export function serveUpgrades({ store, key, random }: UpgradeDeps): Upgrades {
  const nonces = new WeakMap<object, string>()
  return {
    challenge(request, response) {
      if (request.url !== STORE_PATH) return false
      if (key === undefined) {
        response.writeHead(204).end()
        return true
      }
      const nonce = random.uuid()
      nonces.set(request.socket, nonce)
      const challenge = challengeHeader({ file: key.file, nonce })
      response.writeHead(401, { 'WWW-Authenticate': challenge, 'Content-Length': 0 }).end()
      return true
    },
    upgrade(request, socket, head) {
      if (request.url !== STORE_PATH || request.headers.upgrade !== STORE_PROTOCOL) return void socket.destroy()
      const nonce = nonces.get(request.socket)
      nonces.delete(request.socket)
      if (key !== undefined && !isProved(request, key, nonce)) {
        socket.end('HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
        return
      }
      socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: ${STORE_PROTOCOL}\r\nConnection: Upgrade\r\n\r\n`)
      if (head.byteLength > 0) socket.unshift(head)
      store(socket)
    },
  }
}

function isProved({ headers }: IncomingMessage, { key }: StoreKey, nonce: string | undefined): boolean {
  const [scheme, proof = ''] = headers.authorization?.split(' ') ?? []
  return nonce !== undefined && scheme === STORE_SCHEME && isProof(proof, key, nonce)
}
