import type { ServerResponse } from 'node:http'

/** The pending responses of HTTP/1.1: when the server stops, they announce that their connection ends with them. */
export class Http1Responses {
  readonly #pending = new Set<ServerResponse>()
  #closing = false

  add(response: ServerResponse): void {
    if (this.#closing) response.shouldKeepAlive = false
    this.#pending.add(response)
    response.once('close', () => this.#pending.delete(response))
  }

  announceClose(): void {
    this.#closing = true
    for (const response of this.#pending) response.shouldKeepAlive = false
  }
}
