import type { WebSocket } from 'ws'
import type { UpgradeRequest, UpgradeResponse } from './accepted.ts'
import { isWebSocket, offeredProtocols, openWebSocket, refusedHandshake, refuseHandshake } from './web-socket.ts'

/** The protocols of a client: plain bytes, or base64. No protocol means the first. */
const PROTOCOLS: readonly string[] = ['', 'binary.k8s.io', 'base64.binary.k8s.io']

/** A response as a handler writes it: `false` from `write` means to wait for `drained`. */
export interface StreamedResponse extends UpgradeResponse {
  drained(): Promise<void>
}

/** The same response, with each of its chunks as a message of a WebSocket; an error stays a response. */
export interface ReaderResponse extends StreamedResponse {
  /** Resolves when the connection has ended; at once if none was opened. */
  readonly closed: Promise<void>
}

/**
 * A client that requests a stream (a log) by a WebSocket's opening handshake gets it as messages, the first of them empty. Undefined: the
 * request is not a handshake. Messages of the client are ignored.
 */
export function webSocketReader(request: UpgradeRequest, answer: StreamedResponse): ReaderResponse | undefined {
  if (!isWebSocket(request) || request.upgrade === undefined) return undefined
  const offered = offeredProtocols(request)
  const protocol = (offered.length === 0 ? [''] : offered).find((p) => PROTOCOLS.includes(p))
  let turn: Promise<WebSocket | undefined> | undefined
  const then = (next: (ws: WebSocket) => Promise<void>) => {
    turn = turn?.then(async (ws) => {
      if (ws?.readyState === ws?.OPEN && ws !== undefined) await next(ws)
      return ws
    })
  }
  const send = (ws: WebSocket, data: Uint8Array | string) => new Promise<void>((resolve) => ws.send(data, () => resolve()))
  const encoded = (bytes: Uint8Array) => (protocol === 'base64.binary.k8s.io' ? Buffer.from(bytes).toString('base64') : bytes)
  let refused = false
  return {
    start(status, headers) {
      const refusal = status === 200 ? refusedHandshake(request, protocol) : undefined
      refused = status !== 200 || refusal !== undefined
      if (refusal !== undefined) refuseHandshake(answer, refusal)
      else if (refused) answer.start(status, headers)
      else {
        turn = openWebSocket(request, protocol ?? '').catch(() => undefined)
        then((ws) => send(ws, new Uint8Array()))
      }
    },
    write(chunk) {
      if (refused) return turn === undefined && protocol !== undefined ? answer.write(chunk) : true
      if (chunk.length > 0) then((ws) => send(ws, encoded(chunk)))
      return false
    },
    drained: async () => {
      if (refused) await answer.drained()
      else await turn
    },
    end() {
      if (refused) {
        if (protocol !== undefined) answer.end()
      } else then(async (ws) => ws.close(1000))
    },
    get closed() {
      return (turn ?? Promise.resolve(undefined)).then(
        (ws) => ws && new Promise<void>((resolve) => (ws.readyState === ws.CLOSED ? resolve() : void ws.once('close', () => resolve()))),
      )
    },
  }
}
