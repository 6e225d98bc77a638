import type { Later } from '../../base/steps.ts'
import { connect } from '../handlers/connect.ts'
import type { PipelineRequest } from './pipeline-request.ts'
import type { PipelineServer } from './step.ts'

/** Passes streams and proxies to their connector, which sends the response. */
export function connectStream(_server: PipelineServer, request: PipelineRequest): Later<void> {
  const { call } = request
  if (call?.subresource?.kind !== 'connect') return
  const { source, answer } = request.connection()
  return connect(call, call.subresource, source, answer).then(() => {
    request.result = { kind: 'connected' }
  })
}
