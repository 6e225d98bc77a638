import { onAbort } from '../../base/on-abort.ts'
import { quiet } from '../../base/quiet.ts'
import type { ByteSink, ByteSource, CommandStreams, ProcessStreams } from '../../machinery/streams.ts'
import type { RunCommand } from '../../node/runtime/simulated/play.ts'
import { localCommand } from '../../streaming/local-streams.ts'
import type { Exchange } from '../../threads/exchange.ts'
import { joinProcess, processOver } from '../../threads/process-frames.ts'

export const wantedOf = ({ stdin, stdout, stderr, tty }: ProcessStreams): CommandStreams => ({
  stdin: stdin !== undefined,
  stdout: stdout !== undefined,
  stderr: stderr !== undefined,
  tty,
})

/**
 * Joins a client's streams to a process at the other end of the exchange. Aborting the signal kills it; so does the end of its thread.
 * Rejects when the process could not be run, or was killed in such a way.
 */
export async function followProcess(
  exchange: Exchange,
  streams: ProcessStreams,
  signal: AbortSignal,
): Promise<{ readonly exitCode: number }> {
  const remote = processOver(exchange)
  using _ = onAbort(signal, () => void remote[Symbol.asyncDispose]())
  if (streams.stdin !== undefined) void quiet(pour(streams.stdin, remote.stdin), 'the process may end before its input')
  if (streams.resizes !== undefined) void quiet(followSizes(streams.resizes, remote.resize), 'the client may go at any time')
  const outputs = [pour(remote.stdout, streams.stdout), pour(remote.stderr, streams.stderr)]
  try {
    const [exit] = await Promise.all([remote.exit, ...outputs])
    return exit
  } catch (error) {
    await remote[Symbol.asyncDispose]()
    throw error
  }
}

async function pour(source: ByteSource, sink: ByteSink | undefined): Promise<void> {
  for await (const chunk of source) await sink?.write(chunk)
  await sink?.end()
}

async function followSizes(sizes: NonNullable<ProcessStreams['resizes']>, tell: (size: { width: number; height: number }) => void) {
  for await (const size of sizes) tell(size)
}

/** Runs a process on the streams of the other end of the exchange. */
export async function serveProcess(exchange: Exchange, wanted: CommandStreams, run: RunCommand): Promise<void> {
  const { connection, process } = localCommand()
  if (connection.kind !== 'command') throw new Error('invariant: a local command is a command')
  const { streams, gone, finish } = connection.accept(wanted)
  const joined = joinProcess(exchange, await process)
  try {
    const { exitCode } = await run(streams, gone)
    await finish({ kind: 'exit', exitCode })
  } catch (error) {
    exchange.fail(error)
  }
  await joined
}
