import { createServer, type Server } from 'node:http'
import type { Logger } from '../../base/logger.ts'
import { messageOf } from '../../base/message-of.ts'
import type { RoutedPort } from './ruleset-of-services.ts'

interface Health {
  readonly namespace: string
  readonly name: string
  endpoints: number
}

/** Answers load balancers that ask whether this node has an endpoint of a service (`healthCheckNodePort`). */
export class HealthCheckServers {
  readonly #log: Logger
  readonly #servers = new Map<number, { readonly server: Server; readonly health: Health }>()

  constructor(log: Logger) {
    this.#log = log
  }

  /** Opens and closes ports as the services ask for it. */
  async serve(ports: readonly RoutedPort[]): Promise<void> {
    const wanted = healthOf(ports)
    for (const port of this.#servers.keys()) if (!wanted.has(port)) await this.#close(port)
    for (const [port, health] of wanted) {
      const known = this.#servers.get(port)
      if (known === undefined) this.#open(port, health)
      else Object.assign(known.health, health)
    }
  }

  async close(): Promise<void> {
    for (const port of this.#servers.keys()) await this.#close(port)
  }

  #open(port: number, health: Health): void {
    const server = createServer((_, response) => {
      const { namespace, name, endpoints } = health
      response.writeHead(endpoints > 0 ? 200 : 503, {
        'content-type': 'application/json',
        'x-content-type-options': 'nosniff',
        'x-load-balancing-endpoint-weight': String(endpoints),
      })
      response.end(
        `${JSON.stringify({ service: { namespace, name }, localEndpoints: endpoints, serviceProxyHealthy: true }, undefined, 2)}\n`,
      )
    })
    server.on('error', (error) =>
      this.#log.warn(`the health check of ${health.namespace}/${health.name} has no port`, { port, error: messageOf(error) }),
    )
    server.listen(port).unref()
    this.#servers.set(port, { server, health })
  }

  async #close(port: number): Promise<void> {
    const known = this.#servers.get(port)
    this.#servers.delete(port)
    known?.server.closeAllConnections()
    await new Promise<void>((resolve) => known?.server.close(() => resolve()) ?? resolve())
  }
}

/** How many endpoints this node has for each health check port; those that terminate do not count. */
function healthOf(ports: readonly RoutedPort[]): Map<number, Health> {
  const found = new Map<number, Health>()
  for (const { port, endpoints } of ports) {
    const { healthCheckNodePort: at, namespace, service: name } = port
    if (at === undefined || !port.externalLocal) continue
    found.set(at, { namespace, name, endpoints: Math.max(found.get(at)?.endpoints ?? 0, endpoints.localReady) })
  }
  return found
}
