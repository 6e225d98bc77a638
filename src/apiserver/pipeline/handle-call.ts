import type { Later } from '../../base/steps.ts'
import { handle } from '../handlers/handle.ts'
import type { PipelineRequest } from './pipeline-request.ts'
import type { PipelineServer } from './step.ts'

/** Runs the handler of the verb. */
export function handleCall(_server: PipelineServer, request: PipelineRequest): Later<void> {
  const { call } = request
  if (call === undefined) return
  return handle(call).then((answer) => {
    request.result = { kind: 'handled', answer }
  })
}
