import { createBytePipe } from '../../base/byte-pipe.ts'
import type { Clock } from '../../base/clock.ts'
import { untilAborted } from '../../base/on-abort.ts'
import { quiet } from '../../base/quiet.ts'
import type { ByteSource, ProcessStreams, TerminalSize } from '../../machinery/streams.ts'
import { TerminalSizes } from '../../machinery/terminal-sizes.ts'
import type { LogSink } from '../runtime/container-log.ts'
import { LogLines } from './log-lines.ts'

export interface MainStreamsConfig {
  /** Whether clients may write to its input. */
  readonly stdin: boolean
  /** Only the first client that attaches may write to it. */
  readonly stdinOnce: boolean
  readonly tty: boolean
}

/** The streams of a container's main process: its output goes to its log and to all clients that are attached. */
export class MainStreams {
  readonly #config: MainStreamsConfig
  readonly #stdin = createBytePipe()
  readonly #joined = new Set<ProcessStreams>()
  readonly #lines: { readonly stdout: LogLines; readonly stderr: LogLines }
  readonly #sizes = new TerminalSizes()
  readonly #log: LogSink
  #ended = false

  constructor(config: MainStreamsConfig, { log, clock }: { readonly log: LogSink; readonly clock: Clock }) {
    this.#config = config
    this.#log = log
    this.#lines = { stdout: new LogLines(log, clock), stderr: new LogLines(log, clock) }
    if (!config.stdin) void quiet(this.#stdin.sink.end(), 'the process may have ended')
  }

  get stdin(): ByteSource {
    return this.#stdin.source
  }

  get terminal(): AsyncIterable<TerminalSize> | undefined {
    return this.#config.tty ? this.#sizes : undefined
  }

  /** What is printed is kept at once; resolves when log and clients have taken it. */
  async write(to: 'stdout' | 'stderr', bytes: Uint8Array): Promise<void> {
    if (this.#ended) throw new Error('the process has ended: its output is not read any more')
    this.#lines[to].write(bytes)
    await this.#log.room?.()
    if (this.#joined.size === 0) return
    const stream = this.#config.tty ? 'stdout' : to
    await Promise.all([...this.#joined].map((streams) => streams[stream]?.write(bytes).catch(() => this.#joined.delete(streams))))
  }

  /** Joins a client until it leaves, or the process ends. */
  async join(streams: ProcessStreams, signal: AbortSignal, over: Promise<unknown>): Promise<void> {
    this.#joined.add(streams)
    const feeding = this.#config.stdin && streams.stdin !== undefined ? this.#feed(streams.stdin) : undefined
    if (streams.resizes !== undefined) void quiet(this.#follow(streams.resizes), 'the client may go at any time')
    if (feeding !== undefined) void quiet(feeding, 'the client may go at any time')
    await Promise.race([untilAborted(signal), over])
    this.#joined.delete(streams)
  }

  end(): void {
    if (this.#ended) return
    this.#ended = true
    this.#lines.stdout.end()
    this.#lines.stderr.end()
    this.#stdin.destroy(new Error('the process has ended'))
    this.#sizes.end()
  }

  async #feed(source: ByteSource): Promise<void> {
    try {
      for await (const chunk of source) await this.#stdin.sink.write(chunk)
    } finally {
      if (this.#config.stdinOnce) await this.#stdin.sink.end()
    }
  }

  async #follow(resizes: AsyncIterable<TerminalSize>): Promise<void> {
    for await (const size of resizes) this.#sizes.push(size)
  }
}
