import { TurnGate } from '../../base/turn-gate.ts'
import { StatusError } from '../../machinery/status-error.ts'
import type { Call } from '../handlers/call.ts'
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

/** A request that the pipeline has answered. */
export interface Answered {
  readonly call: Call | undefined
  readonly result: PipelineResult
  /** Ends the request: it is counted, and `shown` is what the audit log keeps of the answer. */
  end(code: number, shown?: object): void
  /** Ends it with an error, which it throws. */
  fail(error: unknown): never
}

/** Takes a request through the pipeline. Rejects with the `StatusError` that a client over HTTP would be answered. */
export async function answered(server: PipelineServer, request: InProcessRequest): Promise<Answered> {
  const { clock } = server.deps
  const started = clock.monotonic()
  const end = (code: number, shown?: object) => {
    request.counts?.done(code, (clock.monotonic() - started) / 1000)
    noteDeprecation(request)
    noteEnd(request, code, shown)
  }
  const fail = (error: unknown): never => {
    end(error instanceof StatusError ? error.code : 500, error instanceof StatusError ? error.status : undefined)
    throw error
  }
  try {
    const running = runPipeline(IN_PROCESS_PIPELINE, server, request)
    if (running !== undefined) await running
  } catch (error) {
    fail(error)
  }
  const { result, call } = request
  if (result === undefined) throw new Error('invariant: the last step of a pipeline answers')
  if (result.kind === 'handled' && result.answer.kind === 'watch') request.audit?.started(200)
  return { call, result, end, fail }
}

function noteEnd({ audit }: InProcessRequest, code: number, shown: object | undefined): void {
  if (audit === undefined) return
  if (shown !== undefined && (audit.keepsResponse || ('kind' in shown && shown.kind === 'Status'))) audit.response(shown)
  audit.complete(code)
}
