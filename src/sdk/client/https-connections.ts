import type { ClientOptions, WebSocket } from 'ws'
import { type BytePipe, createBytePipe } from '../../base/byte-pipe.ts'
import { onAbort } from '../../base/on-abort.ts'
import { quiet, quietErrors } from '../../base/quiet.ts'
import type { ConnectCall } from '../../machinery/api-call.ts'
import { outcomeOf } from '../../machinery/process-outcome.ts'
import { StatusError } from '../../machinery/status-error.ts'
import type { ByteDuplex, RemotePorts, RemoteProcess } from '../../machinery/streams.ts'
import { answerError, unreachable } from './response-error.ts'
import { pathOf } from './url.ts'

/** What a WebSocket to the API server needs: `https://host:port/base`, TLS and headers. */
export interface WebSocketConfig {
  readonly server: string
  readonly tls: {
    readonly ca?: string
    readonly cert?: string
    readonly key?: string
    readonly servername?: string
    readonly rejectUnauthorized: boolean
  }
  headers(): Promise<Readonly<Record<string, string | string[]>>>
}

const CHANNEL = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const
const GONE = 'the connection was closed'

/** exec and attach over a WebSocket, by the protocols v5 and v4. */
export async function commandOverWebSocket(config: WebSocketConfig, call: ConnectCall): Promise<RemoteProcess> {
  const ws = await dial(config, call, ['v5.channel.k8s.io', 'v4.channel.k8s.io'])
  const [stdout, stderr] = [createBytePipe(), createBytePipe()]
  const exit = Promise.withResolvers<{ exitCode: number }>()
  void quiet(exit.promise, 'it may fail before it is awaited')
  let said = ''
  receive(ws, async (channel, bytes) => {
    if (channel === CHANNEL.stdout) await quiet(stdout.sink.write(bytes), 'the caller may have stopped reading')
    else if (channel === CHANNEL.stderr) await quiet(stderr.sink.write(bytes), 'the caller may have stopped reading')
    else if (channel === CHANNEL.error) said += bytes.toString()
  })
  ws.once('close', () => {
    void stdout.sink.end()
    void stderr.sink.end()
    try {
      const outcome = outcomeOf(JSON.parse(said))
      if (outcome.kind === 'exit') exit.resolve({ exitCode: outcome.exitCode })
      else exit.reject(outcome.error)
    } catch {
      exit.reject(unreachable(config.server, new Error(said === '' ? GONE : said)))
    }
  })
  const v5 = ws.protocol.startsWith('v5')
  return {
    stdin: {
      write: (chunk) => send(ws, CHANNEL.stdin, chunk),
      end: async () => {
        // Version 4 of the protocol cannot signal the end of stdin.
        if (v5) await quiet(send(ws, CHANNEL.close, Buffer.of(CHANNEL.stdin)), 'the process may have ended')
      },
    },
    stdout: stdout.source,
    stderr: stderr.source,
    resize: ({ width, height }) =>
      void quiet(send(ws, CHANNEL.resize, Buffer.from(JSON.stringify({ Width: width, Height: height }))), 'the process may have ended'),
    exit: exit.promise,
    [Symbol.asyncDispose]: async () => ws.terminate(),
  }
}

/** Port-forward: a WebSocket a connection, by protocol v4. */
export function portsOverWebSocket(config: WebSocketConfig, call: ConnectCall): RemotePorts {
  const open = new Set<WebSocket>()
  return {
    async open(port): Promise<ByteDuplex> {
      const ws = await dial(config, { ...call, query: [...call.query, ['ports', String(port)]] }, ['v4.channel.k8s.io'])
      open.add(ws)
      const incoming = createBytePipe()
      // Each channel begins with the number of its port.
      const head = [2, 2]
      let fault = ''
      receive(ws, async (channel, bytes) => {
        const skipped = Math.min(head[channel] ?? 0, bytes.length)
        head[channel] = (head[channel] ?? 0) - skipped
        const rest = bytes.subarray(skipped)
        if (channel === 0) await quiet(incoming.sink.write(rest), 'the caller may have stopped reading')
        else fault += rest.toString()
      })
      ws.once('close', () => {
        open.delete(ws)
        if (fault === '') void incoming.sink.end()
        else incoming.destroy(new StatusError({ code: 500, reason: 'InternalError', message: fault }))
      })
      return { source: closing(incoming, ws), sink: { write: (chunk) => send(ws, 0, chunk), end: async () => {} } }
    },
    async [Symbol.asyncDispose]() {
      for (const ws of open) ws.terminate()
    },
  }
}

/** When the reader stops, the connection is closed. */
async function* closing(pipe: BytePipe, ws: WebSocket): AsyncGenerator<Uint8Array> {
  try {
    yield* pipe.source
  } finally {
    ws.close(1000)
  }
}

function receive(ws: WebSocket, fn: (channel: number, bytes: Buffer) => Promise<void>): void {
  let turn = Promise.resolve()
  ws.on('message', (data) => {
    const message = data as Buffer
    if (message.length === 0) return
    ws.pause()
    turn = turn.then(() => fn(message[0] ?? 0, message.subarray(1))).finally(() => ws.resume())
  })
}

const send = (ws: WebSocket, channel: number, bytes: Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => {
    if (ws.readyState !== ws.OPEN) return reject(new Error(GONE))
    ws.send(Buffer.concat([Buffer.of(channel), bytes]), (error) => (error ? reject(error) : resolve()))
  })

/** Opens a WebSocket; a response that is not an upgrade becomes its `StatusError`. */
async function dial(config: WebSocketConfig, call: ConnectCall, protocols: readonly string[]): Promise<WebSocket> {
  const { WebSocket } = await import('ws')
  call.signal?.throwIfAborted()
  const words = new URLSearchParams(call.query.map(([name, value]) => [name, value])).toString()
  const url = `${config.server.replace(/^http/, 'ws').replace(/\/$/, '')}${pathOf(call.target)}${words === '' ? '' : `?${words}`}`
  const options: ClientOptions = {
    ...config.tls,
    // `node:http` sends lists, too.
    headers: (await config.headers()) as Record<string, string>,
    perMessageDeflate: false,
    followRedirects: false,
  }
  const ws = new WebSocket(url, [...protocols], options)
  const listening = onAbort(call.signal, () => ws.terminate())
  ws.once('close', () => listening[Symbol.dispose]())
  return new Promise((resolve, reject) => {
    ws.once('open', () => {
      quietErrors(ws, 'the close event follows')
      resolve(ws)
    })
    ws.once('error', (error) => reject(unreachable(config.server, error)))
    ws.once('unexpected-response', (_request, response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('close', () => ws.terminate())
      response.on('end', () =>
        reject(answerError({ code: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks).toString() })),
      )
    })
  })
}
