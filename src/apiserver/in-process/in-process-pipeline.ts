import { TurnGate } from '../../base/turn-gate.ts'
import { StatusError } from '../../machinery/status-error.ts'
import { noteDeprecation } from '../pipeline/note-deprecation.ts'
import { pipelineOf, runPipeline } from '../pipeline/pipeline.ts'
import type { PipelineResult } from '../pipeline/pipeline-request.ts'
import type { PipelineServer } from '../pipeline/step.ts'
import type { InProcessRequest } from './in-process-request.ts'

/** Calls without sockets wait for nothing outside: a client that makes thousands of them in a row would keep the event loop to itself. */
const gate = new TurnGate(64)

/** The pipeline of requests from this process: their sender is known, and they have no seats and no time limits. */
export const IN_PROCESS_PIPELINE = pipelineOf<PipelineServer, InProcessRequest>({
  identify: [() => gate.pass()],
  admitToFlow: [],
  negotiate: [],
})

/** Takes a request through the pipeline; `endRequest` is to follow. Rejects with the `StatusError` that a client over HTTP would be answered. */
export async function answerRequest(server: PipelineServer, request: InProcessRequest): Promise<PipelineResult> {
  try {
    const running = runPipeline(IN_PROCESS_PIPELINE, server, request)
    if (running !== undefined) await running
  } catch (error) {
    failRequest(server, request, error)
  }
  const { result } = request
  if (result === undefined) throw new Error('invariant: the last step of a pipeline answers')
  if (result.kind === 'handled' && result.answer.kind === 'watch') request.audit?.started(200)
  return result
}

/** Ends a request: it is counted, and `shown` is what the audit log keeps of the answer. */
export function endRequest({ deps: { clock } }: PipelineServer, request: InProcessRequest, code: number, shown?: object): void {
  request.counts?.done(code, (clock.monotonic() - request.startedMs) / 1000)
  noteDeprecation(request)
  const { audit } = request
  if (audit === undefined) return
  if (shown !== undefined && (audit.keepsResponse || ('kind' in shown && shown.kind === 'Status'))) audit.response(shown)
  audit.complete(code)
}

/** Ends a request with an error, which it throws. */
export function failRequest(server: PipelineServer, request: InProcessRequest, error: unknown): never {
  const known = error instanceof StatusError
  endRequest(server, request, known ? error.code : 500, known ? error.status : undefined)
  throw error
}
