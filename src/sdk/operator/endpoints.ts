import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'

/** Where probes and metrics listen. */
export interface EndpointsConfig {
  /** The address to listen on; in a pod it has to be `0.0.0.0` or `::`. Default `127.0.0.1`. */
  readonly host?: string
  /** `/healthz` and `/readyz`; 0 picks a free one. Default: none. 8081 is usual. */
  readonly healthPort?: number
  /** `/metrics`, in plain HTTP; 0 picks a free one. The same as `healthPort` serves both. Default: none. 8080 is usual. */
  readonly metricsPort?: number
}

interface Reporter {
  notReady(): string | undefined
  metrics(): string
}

/** Listens until it is disposed of. */
export interface Endpoints extends AsyncDisposable {
  readonly addresses: { readonly health?: string; readonly metrics?: string }
}

type PageBody = readonly [status: number, type: string, body: string]
type Page = () => PageBody

/** Opens the configured ports. @throws {Error} if one cannot be opened */
export async function openEndpoints(
  { host = '127.0.0.1', healthPort, metricsPort }: EndpointsConfig,
  reporter: Reporter,
): Promise<Endpoints> {
  const plain = 'text/plain; charset=utf-8'
  const health: Record<string, Page> = {
    '/healthz': () => [200, plain, 'ok'],
    '/readyz': () => {
      const why = reporter.notReady()
      return why === undefined ? [200, plain, 'ok'] : [503, plain, `not ready: ${why}\n`]
    },
  }
  const metrics: Record<string, Page> = { '/metrics': () => [200, 'text/plain; version=0.0.4; charset=utf-8', reporter.metrics()] }
  const servers: http.Server[] = []
  const open = async (port: number, pages: Readonly<Record<string, Page>>): Promise<string> => {
    const server = http.createServer((request, response) => answer(request, response, pages))
    servers.push(server)
    server.listen(port, host)
    await once(server, 'listening')
    return `http://${host.includes(':') ? `[${host}]` : host}:${(server.address() as AddressInfo).port}`
  }
  const close = async () => {
    for (const server of servers) {
      server.closeAllConnections()
      if (!server.listening) continue
      const closed = once(server, 'close')
      server.close()
      await closed
    }
  }
  try {
    const together = healthPort !== undefined && healthPort === metricsPort
    const healthAt = healthPort === undefined ? undefined : await open(healthPort, together ? { ...health, ...metrics } : health)
    const metricsAt = metricsPort === undefined ? undefined : together ? healthAt : await open(metricsPort, metrics)
    const addresses = { ...(healthAt && { health: healthAt }), ...(metricsAt && { metrics: metricsAt }) }
    return { addresses, [Symbol.asyncDispose]: close }
  } catch (error) {
    await close()
    throw error
  }
}

function answer(request: http.IncomingMessage, response: http.ServerResponse, pages: Readonly<Record<string, Page>>): void {
  const [path = ''] = (request.url ?? '').split('?', 1)
  const page = Object.hasOwn(pages, path) ? pages[path] : undefined
  const allowed = request.method === 'GET' || request.method === 'HEAD'
  const refused: PageBody = allowed ? [404, 'text/plain', 'not found\n'] : [405, 'text/plain', 'GET only\n']
  const [status, type, body] = page === undefined || !allowed ? refused : page()
  response.writeHead(status, { 'content-type': type, 'x-content-type-options': 'nosniff' })
  response.end(request.method === 'HEAD' ? undefined : body)
}
