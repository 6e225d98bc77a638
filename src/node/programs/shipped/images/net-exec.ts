import type { RequestListener } from 'node:http'
import { messageOf } from '../../../../base/message-of.ts'
import type { ContainerProcess, Program } from '../../program.ts'
import { readFlags } from './flags.ts'
import { goLog } from './go-log.ts'

const MOST_TRIES = 1000
const DIAL_MS = 5000

/** The parameters of each request that are logged beside its path, in this order. */
const LOGGED: Readonly<Record<string, readonly string[]>> = {
  '/echo': ['msg', 'code'],
  '/exit': ['code', 'timeout', 'wait'],
  '/dial': ['host', 'protocol', 'port', 'request', 'tries'],
  '/shell': ['cmd'],
}

/** `netexec`: reports its name, echoes requests, and dials others, over HTTP and UDP. SCTP is missing. */
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
  const port = flags.number('http-port', 8080)
  const answer = async (request: Request, peer: string): Promise<Response> => {
    const url = new URL(override === '' ? request.url : override, 'http://localhost')
    const query = url.searchParams
    logRequest(container, request.method, url)
    switch (url.pathname) {
      case '/':
        return new Response(`NOW: ${new Date(container.clock.now()).toISOString()}`)
      case '/hostname':
      case '/hostName':
        return new Response(hostname)
      case '/clientip':
        return new Response(peer)
      case '/serverport':
        return new Response(String(port))
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
  const udpPort = flags.number('udp-port', 8081)
  if (udpPort >= 0) await answerDatagrams(container, udpPort)
}

function logRequest(container: ContainerProcess, method: string, { pathname, searchParams }: URL): void {
  const own = Object.hasOwn(LOGGED, pathname) ? LOGGED[pathname] : undefined
  const key = pathname === '/header' && searchParams.has('key') ? ['key'] : []
  const fields = (own ?? key).map((name) => `${name}=${searchParams.get(name) ?? ''}`)
  goLog(container, `${method} ${pathname}${fields.length === 0 ? '' : `?${fields.join('&')}`}`)
}

async function answerDatagrams(container: ContainerProcess, port: number): Promise<void> {
  const { hostname } = container.facts
  await container.listenDatagrams(port, ({ bytes, from, reply }) => {
    const text = Buffer.from(bytes).toString().trim().toLowerCase()
    const say = (answer: string) => reply(Buffer.from(answer))
    if (text === 'hostname') say(hostname)
    else if (text.startsWith('echo ')) say(text.slice('echo '.length))
    else if (text === 'clientip') say(`${from.address}:${from.port}`)
    else if (text === 'serverport') say(String(port))
    else if (text !== '') goLog(container, `Unknown UDP command received from ${from.address}:${from.port}: ${text}`)
  })
  goLog(container, `Started UDP server on port  ${port}`)
}

function headersOf(request: Request): Record<string, string[]> {
  return Object.fromEntries([...request.headers].map(([name, value]) => [name, [value]]))
}

/** Dials another server a number of times, and reports the responses. */
async function dial(container: ContainerProcess, query: URLSearchParams) {
  const responses: string[] = []
  const errors: string[] = []
  const tries = Math.min(MOST_TRIES, Number(query.get('tries') ?? 1) || 1)
  const [host, port, request] = [query.get('host') ?? '', Number(query.get('port')), query.get('request') ?? 'hostname']
  const protocol = query.get('protocol') ?? 'http'
  if (protocol !== 'http' && protocol !== 'udp') return { errors: [`unsupported protocol ${protocol}`] }
  for (let i = 0; i < tries; i++) {
    try {
      const text =
        protocol === 'udp' ? await askByDatagram(container, { host, port, request }) : await askByHttp(container, { host, port, request })
      responses.push(text.trim())
    } catch (error) {
      errors.push(messageOf(error))
    }
  }
  return { ...(responses.length > 0 && { responses }), ...(errors.length > 0 && { errors }) }
}

interface Question {
  readonly host: string
  readonly port: number
  readonly request: string
}

async function askByHttp(container: ContainerProcess, { host, port, request }: Question): Promise<string> {
  const late = new AbortController()
  const cancel = container.clock.after(DIAL_MS, () => late.abort(new Error('i/o timeout')))
  try {
    const shown = host.includes(':') ? `[${host}]` : host
    return await (await container.fetch(`http://${shown}:${port}/${request}`, { signal: late.signal })).text()
  } finally {
    cancel()
  }
}

async function askByDatagram(container: ContainerProcess, { host, port, request }: Question): Promise<string> {
  await using conversation = await container.openDatagrams(host, port)
  let late = false
  const cancel = container.clock.after(DIAL_MS, () => {
    late = true
    conversation.close()
  })
  await conversation.send(request)
  for await (const answer of conversation) {
    cancel()
    return Buffer.from(answer).toString()
  }
  throw new Error(late ? `read udp ${host}:${port}: i/o timeout` : 'the conversation was closed')
}

async function shell(container: ContainerProcess, command: string) {
  const pieces: string[] = []
  const keep = { write: async (data: string | Uint8Array) => void pieces.push(Buffer.from(data).toString()) }
  const exit = await container.spawn(['sh', '-c', command], { stdout: keep, stderr: keep }).exit
  return { output: pieces.join(''), ...(exit !== 0 && { error: `exit status ${exit}` }) }
}
