import type { Later } from '../../base/steps.ts'
import type { HandlerResult } from '../handlers/call.ts'
import { handle } from '../handlers/handle.ts'
import { READ_VERBS } from '../request/read-verbs.ts'
import type { Trail } from '../request/trail.ts'
import type { PipelineRequest } from './pipeline-request.ts'
import type { PipelineServer } from './step.ts'

/** Runs the handler of the verb. */
export function handleCall(_server: PipelineServer, request: PipelineRequest): Later<void> {
  const { call } = request
  if (call === undefined) return
  return handle(call).then((answer) => {
    request.result = { kind: 'handled', answer }
    if (request.trail !== undefined) noteResponse(request, request.trail, answer)
  })
}

function noteResponse(request: PipelineRequest, trail: Trail, answer: HandlerResult): void {
  trail.passed('handle', request)
  if (answer.kind === 'item' && !READ_VERBS.has(request.info.verb)) trail.stored(answer.item.key, answer.item.revision)
}
