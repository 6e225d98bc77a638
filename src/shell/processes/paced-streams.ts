import type { ByteSink } from '../../machinery/streams.ts'
import type { Input, Process } from './process.ts'

/**
 * The streams of a process, whose every read and write is work. Devices, files and pipes in memory are ready at once: without this, `cat
 * /dev/zero > /dev/null` would never let the event loop turn, and would not see that it was killed.
 */
export function pacedStreams(
  { stdin, stdout, stderr, pacer }: Pick<Process, 'stdin' | 'stdout' | 'stderr' | 'pacer'>,
  signal: AbortSignal,
): Pick<Process, 'stdin' | 'stdout' | 'stderr'> {
  const process = { pacer, signal }
  return { stdin: pacedInput(stdin, process), stdout: pacedSink(stdout, process), stderr: pacedSink(stderr, process) }
}

export function pacedInput(input: Input, { pacer, signal: killed }: Pick<Process, 'pacer' | 'signal'>): Input {
  let lastBytes = 0
  return {
    ...(input.terminal !== undefined && { terminal: input.terminal }),
    async read(signal = killed) {
      // A piece is counted with the next one: a process that is killed while it waits for its share loses nothing.
      await pacer.transfer(lastBytes, killed)
      const piece = await input.read(signal)
      lastBytes = piece?.length ?? 0
      return piece
    },
    unread(bytes) {
      // It is counted when it is read again: a reader of lines gives most of a piece back.
      lastBytes = Math.max(0, lastBytes - bytes.length)
      input.unread(bytes)
    },
  }
}

function pacedSink(sink: ByteSink, { pacer, signal }: Pick<Process, 'pacer' | 'signal'>): ByteSink {
  return {
    ...('terminal' in sink && { terminal: sink.terminal }),
    async write(bytes) {
      await pacer.transfer(bytes.length, signal)
      await sink.write(bytes)
    },
    end: () => sink.end(),
  }
}
