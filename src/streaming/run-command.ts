import { errorOf } from '../base/message-of.ts'
import type { Outcome } from '../machinery/process-outcome.ts'
import type { ProcessStreams } from '../machinery/streams.ts'
import type { AcceptedCommand } from './accepted.ts'

/** Runs a process for a client that waits for it, and sends the client its outcome. */
export async function runCommand(
  { streams, gone, finish }: AcceptedCommand,
  run: (streams: ProcessStreams, gone: AbortSignal) => Promise<{ readonly exitCode: number }>,
): Promise<void> {
  const outcome: Outcome = await run(streams, gone).then(
    ({ exitCode }) => ({ kind: 'exit', exitCode }),
    (error: unknown) => ({ kind: 'failed', error: errorOf(error) }),
  )
  await finish(outcome)
}
