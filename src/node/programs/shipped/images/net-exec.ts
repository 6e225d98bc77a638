import type { RequestListener } from 'node:http'
import type { ContainerProcess, Program } from '../../program.ts'
import { readFlags } from './flags.ts'

const MOST_TRIES = 1000
const DIAL_MS = 5000

/** `netexec`: tells who it is, what was asked, and asks others. UDP and SCTP are not there. */
export const netExec: Program = async (container) => {
  const flags = readFlags(container.args)
  let code: number | undefined
  let stopping = false
  const delayMs = flags.number('delay-shutdown', 0) * 1000
  container.onSignal('SIGTERM', () => {
    stopping = true
    container.clock.after(delayMs, () => container.exit(0))
  })
  const { hostname } = container.facts
  const override = flags.text('http-override')
  const answer = async (request: Request, peer: string): Promise<Response> => {
    const url = new URL(override === '' ? request.url : override, 'http://localhost')
    const query = url.searchParams
    switch (url.pathname) {
      case '/':
        return new Response(`NOW: ${new Date(container.clock.now()).toISOString()}`)
      case '/hostname':
      case '/hostName':
        return new Response(hostname)
      case '/clientip':
        return new Response(peer)
      case '/header':
        return new Response(query.has('key') ? (request.headers.get(query.get('key') ?? '') ?? '') : JSON.stringify(headersOf(request)))
      case '/echo':
        return new Response(query.get('msg') ?? (await request.text()), { status: Number(query.get('code') ?? 200) || 200 })
      case '/redirect':
        return new Response(null, { status: Number(query.get('code') ?? 302) || 302, headers: { location: query.get('location') ?? '/' } })
      case '/healthz':
        return new Response('', { status: code === undefined ? 200 : 412 })
      case '/readyz':
        return new Response('', { status: stopping ? 503 : 200 })
      case '/dial':
        return Response.json(await dial(container, query))
      case '/shell':
        return Response.json(await shell(container, query.get('cmd') ?? ''))
      case '/exit':
      case '/shutdown':
        code = Number(query.get('code') ?? 0) || 0
        container.clock.after(10, () => container.exit(code ?? 0))
        return new Response('')
      default:
        return new Response('404 page not found\n', { status: 404 })
    }
  }
  const port = flags.number('http-port', 8080)
  const [certFile, keyFile] = [flags.text('tls-cert-file'), flags.text('tls-private-key-file')]
  const listener: RequestListener = async (incoming, outgoing) => {
    const { remoteAddress, remotePort } = incoming.socket
    const body = incoming.method === 'GET' || incoming.method === 'HEAD' ? undefined : Buffer.concat(await incoming.toArray())
    const headers = Object.entries(incoming.headers).map(([name, value]): [string, string] => [name, String(value)])
    const request = new Request(new URL(incoming.url ?? '/', 'http://localhost'), {
      method: incoming.method ?? 'GET',
      headers,
      ...(body !== undefined && { body }),
    })
    const response = await answer(request, `${remoteAddress}:${remotePort}`)
    outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(Buffer.from(await response.arrayBuffer()))
  }
  await container.listen(port, { http: listener }, certFile === '' ? {} : { tls: { certFile, keyFile } })
}

function headersOf(request: Request): Record<string, string[]> {
  return Object.fromEntries([...request.headers].map(([name, value]) => [name, [value]]))
}

/** Asks another so often, and tells what came. */
async function dial(container: ContainerProcess, query: URLSearchParams) {
  const responses: string[] = []
  const errors: string[] = []
  const tries = Math.min(MOST_TRIES, Number(query.get('tries') ?? 1) || 1)
  const target = `http://${query.get('host')}:${query.get('port')}/${query.get('request') ?? 'hostname'}`
  if ((query.get('protocol') ?? 'http') !== 'http') return { errors: [`unsupported protocol ${query.get('protocol')}`] }
  for (let i = 0; i < tries; i++) {
    try {
      const response = await container.fetch(target, { signal: AbortSignal.timeout(DIAL_MS) })
      responses.push((await response.text()).trim())
    } catch (error) {
      errors.push(error instanceof Error ? error.message : String(error))
    }
  }
  return { ...(responses.length > 0 && { responses }), ...(errors.length > 0 && { errors }) }
}

async function shell(container: ContainerProcess, command: string) {
  const pieces: string[] = []
  const keep = { write: async (data: string | Uint8Array) => void pieces.push(Buffer.from(data).toString()) }
  const exit = await container.spawn(['sh', '-c', command], { stdout: keep, stderr: keep }).exit
  return { output: pieces.join(''), ...(exit !== 0 && { error: `exit status ${exit}` }) }
}
