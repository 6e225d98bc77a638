import type { Clock } from '../../../base/clock.ts'
import { limitedSignal } from '../../../base/limited-signal.ts'
import type { ByteSink } from '../../../machinery/streams.ts'
import type { ExecResult } from '../runtime.ts'
import { RuntimeError } from '../runtime-error.ts'
import type { RunCommand } from './play.ts'

/** The size limit of each output stream of a command whose output is collected. */
const KEEP_BYTES = 1 << 20

/** Runs a command to its end and collects its output; kills it after `timeoutMs` (0: never). */
export async function runToEnd(
  run: RunCommand,
  { command, timeoutMs, clock }: { readonly command: readonly string[]; readonly timeoutMs: number; readonly clock: Clock },
  signal: AbortSignal,
): Promise<ExecResult> {
  const [stdout, stderr] = [collector(), collector()]
  const late = new RuntimeError('deadline', `command ${JSON.stringify(command.join(' '))} timed out`)
  using limit = limitedSignal(clock, timeoutMs > 0 ? timeoutMs : undefined, { parent: signal, reason: () => late })
  const { exitCode } = await run({ stdout: stdout.sink, stderr: stderr.sink, tty: false }, limit.signal)
  limit.signal.throwIfAborted()
  return { exitCode, stdout: stdout.text(), stderr: stderr.text() }
}

function collector(): { readonly sink: ByteSink; text(): string } {
  const chunks: Uint8Array[] = []
  let held = 0
  return {
    sink: {
      async write(chunk) {
        if (held < KEEP_BYTES) chunks.push(chunk.subarray(0, KEEP_BYTES - held))
        held += chunk.length
      },
      end: async () => {},
    },
    text: () => Buffer.concat(chunks).toString(),
  }
}
