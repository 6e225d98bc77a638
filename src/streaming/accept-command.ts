import { createBytePipe } from '../base/byte-pipe.ts'
import type { Clock } from '../base/clock.ts'
import { onAbort } from '../base/on-abort.ts'
import { quiet } from '../base/quiet.ts'
import { type Outcome, runtimeStatusOf, statusOf, textOf } from '../machinery/process-outcome.ts'
import { badRequest } from '../machinery/status-error.ts'
import type { ByteSink, ByteSource, CommandStreams, TerminalSize } from '../machinery/streams.ts'
import type { AcceptedCommand, UpgradeRequest, UpgradeResponse } from './accepted.ts'
import { createSpdySession, type SpdyStream } from './spdy/spdy-session.ts'
import { negotiateSpdy, type SpdyUpgrade, spdyWire } from './spdy/spdy-upgrade.ts'
import { channelSocket, isWebSocket, offeredProtocols, openWebSocket, refusedHandshake, refuseHandshake } from './web-socket.ts'

/** Time limit for a SPDY client to open the streams that it requested, as upstream. */
const OPENING_LIMIT_MS = 30_000
const CHANNEL = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const
const WEB_SOCKET_PROTOCOLS = [
  'v5.channel.k8s.io',
  'v4.channel.k8s.io',
  'v4.base64.channel.k8s.io',
  'channel.k8s.io',
  'base64.channel.k8s.io',
]
const SPDY_PROTOCOLS = ['v4.channel.k8s.io', 'v3.channel.k8s.io', 'v2.channel.k8s.io', 'channel.k8s.io']

/**
 * Accepts the upgrade of an exec or attach. Undefined if the client offers no supported protocol: the error response is then already sent.
 * Throws a `StatusError` for a request that is not an upgrade.
 */
export async function acceptCommand(
  request: UpgradeRequest,
  answer: UpgradeResponse,
  wanted: CommandStreams,
  deps: { readonly clock: Clock },
): Promise<AcceptedCommand | undefined> {
  if (request.local?.kind === 'command') return request.local.accept(wanted)
  if (request.upgrade === undefined) throw badRequest('Upgrade request required')
  if (isWebSocket(request)) return overWebSocket(request, answer, wanted)
  const upgrade = negotiateSpdy(request, answer, SPDY_PROTOCOLS)
  return upgrade && overSpdy(upgrade, wanted, deps.clock)
}

async function overWebSocket(
  request: UpgradeRequest,
  answer: UpgradeResponse,
  wanted: CommandStreams,
): Promise<AcceptedCommand | undefined> {
  const offered = offeredProtocols(request)
  const protocol = offered.length === 0 ? '' : offered.find((p) => WEB_SOCKET_PROTOCOLS.includes(p))
  const refusal = refusedHandshake(request, protocol)
  if (protocol === undefined || refusal !== undefined) {
    refuseHandshake(answer, refusal)
    return undefined
  }
  const socket = channelSocket(await openWebSocket(request, protocol), protocol.includes('base64'))
  const gone = new AbortController()
  const stdin = createBytePipe()
  const sizes = createBytePipe()
  void socket.closed.then(() => {
    stdin.destroy(new Error('the client has gone'))
    gone.abort(new Error('the client has gone'))
  })
  socket.receive(async (channel, bytes) => {
    if (channel === CHANNEL.stdin && wanted.stdin) await quiet(stdin.sink.write(bytes), 'the program no longer reads')
    else if (channel === CHANNEL.resize && wanted.tty) await quiet(sizes.sink.write(bytes), 'the program no longer reads')
    else if (channel === CHANNEL.close && bytes[0] === CHANNEL.stdin && protocol.startsWith('v5')) await stdin.sink.end()
  })
  // Like upstream, write nothing to a first stream at once, so that the client sees that the connection works.
  const lowest = wanted.stdout ? CHANNEL.stdout : wanted.stderr && !wanted.tty ? CHANNEL.stderr : CHANNEL.error
  await quiet(socket.send(lowest, Buffer.alloc(0)), 'the client may have gone')
  const sink = (channel: number): ByteSink => ({ write: (chunk) => socket.send(channel, chunk), end: async () => {} })
  return {
    streams: {
      ...(wanted.stdin && { stdin: stdin.source }),
      ...(wanted.stdout && { stdout: sink(CHANNEL.stdout) }),
      ...(wanted.stderr && !wanted.tty && { stderr: sink(CHANNEL.stderr) }),
      ...(wanted.tty && { resizes: readSizes(sizes.source) }),
      tty: wanted.tty,
    },
    gone: gone.signal,
    async finish(outcome) {
      const text = errorText(outcome, protocol)
      if (text !== '') await quiet(socket.send(CHANNEL.error, Buffer.from(text)), 'the client may have gone')
      await socket.close()
    },
  }
}

function errorText(outcome: Outcome, protocol: string): string {
  if (protocol.startsWith('v5')) return JSON.stringify(statusOf(outcome))
  return protocol.startsWith('v4') ? JSON.stringify(runtimeStatusOf(outcome)) : textOf(outcome)
}

/** Sizes as clients send them: one JSON object a message, which a stream may cut anywhere. */
async function* readSizes(source: ByteSource): AsyncGenerator<TerminalSize> {
  let held = ''
  for await (const chunk of source) {
    held += Buffer.from(chunk).toString()
    for (let end = held.indexOf('}'); end >= 0; end = held.indexOf('}')) {
      const size = sizeOf(held.slice(0, end + 1))
      held = held.slice(end + 1)
      if (size !== undefined) yield size
    }
    if (held.length > 1024) held = ''
  }
}

function sizeOf(text: string): TerminalSize | undefined {
  try {
    const { Width, Height } = JSON.parse(text) as { Width?: unknown; Height?: unknown }
    return Number.isInteger(Width) && Number.isInteger(Height) ? { width: Number(Width), height: Number(Height) } : undefined
  } catch {
    return undefined
  }
}

async function overSpdy(upgrade: SpdyUpgrade, wanted: CommandStreams, clock: Clock): Promise<AcceptedCommand> {
  const wire = spdyWire(upgrade)
  const session = createSpdySession(wire)
  const protocol = upgrade.protocol
  const names = [
    'error',
    ...(wanted.stdin ? ['stdin'] : []),
    ...(wanted.stdout ? ['stdout'] : []),
    ...(wanted.stderr && !wanted.tty ? ['stderr'] : []),
    ...(wanted.tty && /^v[34]\./.test(protocol) ? ['resize'] : []),
  ]
  const opened = new Map<string, SpdyStream>()
  const gone = new AbortController()
  const complete = Promise.withResolvers<void>()
  const running = session.run((stream) => {
    const name = stream.headers.streamtype ?? ''
    if (!names.includes(name) || opened.has(name)) return stream.reset()
    opened.set(name, stream)
    if (opened.size === names.length) complete.resolve()
  })
  const over = running.then(
    () => gone.abort(new Error('the client has gone')),
    (error: unknown) => gone.abort(error),
  )
  // The client is outside of virtual time.
  const opens = clock.busy('a client opens its streams')
  const tooLate = clock.after(OPENING_LIMIT_MS, () => complete.reject(new Error('timed out waiting for client to create streams')))
  onAbort(gone.signal, () => complete.reject(gone.signal.reason))
  try {
    await complete.promise
  } catch (error) {
    wire.destroy()
    throw error
  } finally {
    opens()
    tooLate()
  }
  const stream = (name: string) => opened.get(name)
  const stdin = stream('stdin')
  const stdout = stream('stdout')
  const stderr = stream('stderr')
  const resize = stream('resize')
  return {
    streams: {
      ...(stdin && { stdin: stdin.source }),
      ...(stdout && { stdout: stdout.sink }),
      ...(stderr && { stderr: stderr.sink }),
      ...(resize && { resizes: readSizes(resize.source) }),
      tty: wanted.tty,
    },
    gone: gone.signal,
    async finish(outcome) {
      const error = stream('error')
      const text = errorText(outcome, protocol)
      if (text !== '' && error !== undefined) await quiet(error.sink.write(Buffer.from(text)), 'the client may have gone')
      for (const part of [error, stdout, stderr]) await part?.sink.end()
      await session.close()
      await over
      wire.destroy()
    },
  }
}
