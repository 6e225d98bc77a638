import type { DelegateServer } from '../delegate-server.ts'
import { PEER_PROXIED } from '../peer-servers.ts'
import type { PipelineRequest } from './pipeline-request.ts'
import type { PipelineServer } from './step.ts'

/** Requests for paths of another server leave the pipeline here, authenticated and authorized. */
export function delegate({ deps }: Pick<PipelineServer, 'deps'>, request: PipelineRequest): void {
  const to = deps.delegates?.of(request.info.path) ?? peerOf(deps, request)
  if (to !== undefined) request.result = { kind: 'delegated', to }
}

/** A server of the same objects that knows a resource which this one does not. A request is forwarded once. */
function peerOf({ peers, definitions }: PipelineServer['deps'], { info, headers }: PipelineRequest): DelegateServer | undefined {
  const { target } = info
  if (peers === undefined || target === undefined || headers[PEER_PROXIED] === 'true') return undefined
  return definitions.served(target.group, target.version, target.resource) === undefined ? peers.of(target) : undefined
}
