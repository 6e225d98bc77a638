import { createBytePipe } from '../base/byte-pipe.ts'
import { quiet } from '../base/quiet.ts'
import { sentJson } from '../machinery/json/sent-json.ts'
import type { ByteSink, ByteSource, RemoteProcess, TerminalSize } from '../machinery/streams.ts'
import type { Exchange } from './exchange.ts'

/** The first byte of a message says which stream of a process it belongs to; one without more bytes ends that stream. */
const STREAM = { stdin: 0, stdout: 1, stderr: 2, resize: 3, exit: 4 } as const
const GONE = 'the connection was closed'

const tag = (stream: number) => Uint8Array.of(stream)

function sinkOf(exchange: Exchange, stream: number): ByteSink {
  return {
    async write(chunk) {
      if (chunk.length > 0) await exchange.send(tag(stream), chunk)
    },
    async end() {
      await exchange.send(tag(stream))
    },
  }
}

/** The client's end of a process that runs at the other end of the exchange. */
export function processOver(exchange: Exchange): RemoteProcess {
  const [stdout, stderr] = [createBytePipe(), createBytePipe()]
  const exit = Promise.withResolvers<{ exitCode: number }>()
  void quiet(exit.promise, 'callers that wait for the exit get the error')
  const outputs = { [STREAM.stdout]: stdout.sink, [STREAM.stderr]: stderr.sink }
  const read = async () => {
    for await (const message of exchange) {
      if (message[0] === STREAM.exit) exit.resolve(sentJson(message.toString('utf8', 1)) as { exitCode: number })
      else await passOn(message, outputs)
    }
    exit.reject(new Error(GONE))
  }
  const broken = (error: Error) => {
    stdout.destroy(error)
    stderr.destroy(error)
    exit.reject(error)
  }
  void read().catch(broken)
  return {
    stdin: sinkOf(exchange, STREAM.stdin),
    stdout: stdout.source,
    stderr: stderr.source,
    resize: (size) =>
      void quiet(Promise.resolve(exchange.send(tag(STREAM.resize), JSON.stringify(size))), 'the reader of the output gets the error'),
    exit: exit.promise,
    async [Symbol.asyncDispose]() {
      exchange.fail(new Error('the client has gone'))
    },
  }
}

/** Reports to the other end of the exchange what a process does, and passes its input on. Ends with the process. */
export async function joinProcess(exchange: Exchange, remote: RemoteProcess): Promise<void> {
  const outwards = async (source: ByteSource, stream: number) => {
    for await (const chunk of source) await exchange.send(tag(stream), chunk)
    await exchange.send(tag(stream))
  }
  const inwards = async () => {
    for await (const message of exchange) {
      if (message[0] === STREAM.resize) remote.resize(sentJson(message.toString('utf8', 1)) as TerminalSize)
      else await quiet(passOn(message, { [STREAM.stdin]: remote.stdin }), 'the process may end before its input')
    }
  }
  // The client may go, or keep its end open, at any time.
  void inwards().catch(() => remote[Symbol.asyncDispose]())
  try {
    const outputs = [outwards(remote.stdout, STREAM.stdout), outwards(remote.stderr, STREAM.stderr)]
    const [exit] = await Promise.all([remote.exit, ...outputs])
    await exchange.send(tag(STREAM.exit), JSON.stringify(exit))
    exchange.end()
  } catch (error) {
    exchange.fail(error)
  }
}

/** Passes a message to its stream. */
async function passOn(message: Buffer, sinks: Readonly<Record<number, ByteSink>>): Promise<void> {
  const sink = sinks[message[0] ?? -1]
  if (message.length === 1) await sink?.end()
  // It is a view of a parcel that came for many.
  else await sink?.write(Buffer.from(message.subarray(1)))
}
