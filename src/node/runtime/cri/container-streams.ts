import { onAbort } from '../../../base/on-abort.ts'
import { quiet } from '../../../base/quiet.ts'
import { outcomeOf } from '../../../machinery/process-outcome.ts'
import type { ByteDuplex, ByteSink, ByteSource, ProcessStreams } from '../../../machinery/streams.ts'
import { dialSpdy, type SpdyTarget } from '../../../streaming/spdy/dial-spdy.ts'
import type { SpdyStream } from '../../../streaming/spdy/spdy-session.ts'

const COMMAND_PROTOCOLS = ['v4.channel.k8s.io'] as const
const FORWARD_PROTOCOLS = ['portforward.k8s.io'] as const

/** Joins streams to a process at a URL that was given for it; resolves with its exit code. */
export async function joinProcess(target: SpdyTarget, streams: ProcessStreams, signal: AbortSignal): Promise<number> {
  using connection = await dialSpdy(target, COMMAND_PROTOCOLS, signal)
  const open = (streamtype: string) => connection.session.open({ streamtype })
  // The server waits for exactly the requested streams.
  const error = await open('error')
  void error.sink.end()
  const stdin = streams.stdin && (await open('stdin'))
  const stdout = streams.stdout && (await open('stdout'))
  const stderr = streams.stderr && !streams.tty ? await open('stderr') : undefined
  const resize = streams.tty ? await open('resize') : undefined
  if (streams.stdin && stdin) void quiet(copy(streams.stdin, stdin.sink), 'a process may end before its input')
  if (resize && streams.resizes) void quiet(sendSizes(streams.resizes, resize.sink), 'a process may end before its terminal')
  using _ = onAbort(signal, () => connection[Symbol.dispose]())
  const [output] = await Promise.all([textOf(error.source), drain(stdout, streams.stdout), drain(stderr, streams.stderr)])
  if (output === '') throw new Error('the connection to the runtime broke off')
  const outcome = outcomeOf(JSON.parse(output))
  if (outcome.kind === 'failed') throw outcome.error
  return outcome.exitCode
}

/** Joins a connection to a port of a sandbox; resolves when either side is done. */
export async function joinPort(target: SpdyTarget, port: number, { source, sink }: ByteDuplex, signal: AbortSignal): Promise<void> {
  using connection = await dialSpdy(target, FORWARD_PROTOCOLS, signal)
  const open = (streamtype: string) => connection.session.open({ streamtype, port: String(port), requestid: '0' })
  const error = await open('error')
  void error.sink.end()
  const data = await open('data')
  const up = quiet(
    copy(source, data.sink).then(() => data.sink.end()),
    'the program may have closed its end',
  )
  await Promise.race([drain(data, sink), Promise.all([up, connection.closed])])
  await sink.end()
  const fault = await Promise.race([textOf(error.source), connection.closed.then(() => '')])
  if (fault !== '') throw new Error(fault)
}

/** Servers end streams by breaking them off, once everything was sent. */
async function* untilBroken(source: ByteSource): AsyncGenerator<Uint8Array> {
  try {
    yield* source
  } catch {
    // What came before is all there is.
  }
}

async function copy(from: ByteSource, to: ByteSink): Promise<void> {
  for await (const chunk of from) await to.write(chunk)
  await to.end()
}

async function drain(stream: SpdyStream | undefined, to: ByteSink | undefined): Promise<void> {
  if (stream !== undefined) for await (const chunk of untilBroken(stream.source)) await to?.write(chunk)
}

async function sendSizes(sizes: NonNullable<ProcessStreams['resizes']>, sink: ByteSink): Promise<void> {
  for await (const { width, height } of sizes) await sink.write(Buffer.from(`${JSON.stringify({ Width: width, Height: height })}\n`))
}

const textOf = async (source: ByteSource): Promise<string> => Buffer.concat(await Array.fromAsync(untilBroken(source))).toString()
