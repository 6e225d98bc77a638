import { andThen, type Later } from '../../base/steps.ts'
import { StatusError } from '../../machinery/status-error.ts'
import { type Decision, forbiddenRequest } from '../identity/authorizer.ts'
import type { PipelineRequest } from './pipeline-request.ts'
import type { PipelineServer } from './step.ts'

/** No authorizer allowed the request, and one of them failed. The HTTP entrance sends its message as plain text. */
export class AuthorizationError extends StatusError {
  constructor(message: string) {
    super({ code: 500, reason: 'InternalError', message })
  }
}

/** Authorizes the request, and records the decision. Throws 403 in Kubernetes' words, or `AuthorizationError`. */
export function authorize(server: Pick<PipelineServer, 'deps'>, request: PipelineRequest): Later<void> {
  const { authorizer, metrics, clock } = server.deps
  const begun = metrics === undefined ? 0 : clock.monotonic()
  return andThen(authorizer.authorize(request.attributes), (decision) => {
    metrics?.authorized(resultOf(decision), (clock.monotonic() - begun) / 1000)
    conclude(request, decision)
  })
}

function resultOf({ verdict, error }: Decision) {
  if (verdict === 'allow') return 'allowed'
  if (error !== undefined) return 'error'
  return verdict === 'deny' ? 'denied' : 'no-opinion'
}

function conclude(request: PipelineRequest, decision: Decision): void {
  if (decision.verdict === 'allow') {
    request.annotate('authorization.k8s.io/decision', 'allow')
    request.annotate('authorization.k8s.io/reason', decision.reason)
  } else if (decision.error !== undefined) {
    request.annotate('authorization.k8s.io/reason', 'internal error')
    throw new AuthorizationError(decision.error)
  } else {
    request.annotate('authorization.k8s.io/decision', 'forbid')
    request.annotate('authorization.k8s.io/reason', decision.reason)
    throw forbiddenRequest(request.attributes, decision.reason)
  }
}
