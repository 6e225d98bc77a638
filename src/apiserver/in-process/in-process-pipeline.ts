import { TurnGate } from '../../base/turn-gate.ts'
import { StatusError } from '../../machinery/status-error.ts'
import { noteDeprecation } from '../pipeline/note-deprecation.ts'
import { pipelineOf, runPipeline } from '../pipeline/pipeline.ts'
import type { PipelineResult } from '../pipeline/pipeline-request.ts'
import type { PipelineServer } from '../pipeline/step.ts'
import type { InProcessRequest } from './in-process-request.ts'

/** Calls in process wait for no I/O: without this, a client that makes thousands of them in a row would block the event loop. */
const gate = new TurnGate(64)

/** The pipeline of requests from this process: their sender is known, and they need no seats and time limits. */
export const IN_PROCESS_PIPELINE = pipelineOf<PipelineServer, InProcessRequest>({
  identify: [() => gate.pass()],
  admitToFlow: [],
  matchTypes: [],
  negotiate: [],
})

/** Runs a request through the pipeline; call `endRequest` afterwards. Rejects with the `StatusError` that a client over HTTP would get. */
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

/** Ends a request and counts it; `shown` is the response as the audit log records it. */
export function endRequest({ deps: { clock } }: PipelineServer, request: InProcessRequest, code: number, shown?: object): void {
  request.counts?.done(code, (clock.monotonic() - request.startedMs) / 1000)
  noteDeprecation(request)
  request.completeTrail(code)
  const { audit } = request
  if (audit === undefined) return
  if (shown !== undefined && (audit.keepsResponse || ('kind' in shown && shown.kind === 'Status'))) audit.response(shown)
  audit.complete(code)
}

/** Ends a request with an error, which it throws. */
export function failRequest(server: PipelineServer, request: InProcessRequest, error: unknown): never {
  const known = error instanceof StatusError
  request.trail?.failed(error)
  endRequest(server, request, known ? error.code : 500, known ? error.status : undefined)
  throw error
}
