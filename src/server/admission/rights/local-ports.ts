import { type AdmissionPlugin, refusal } from '../../../apiserver/admission/plugin.ts'
import { resourceAttributes } from '../../../apiserver/identity/authorizer.ts'
import { goQuote } from '../../../machinery/field-error.ts'
import { LOCAL_PORT } from '../../services/resolve-service.ts'
import type { AdmissionDeps } from '../admission-deps.ts'

const GROUP = 'bowsprit.dev'
const RESOURCE = 'localports'

/**
 * A Service with the annotation `bowsprit.dev/local-port` routes the API server's proxies, webhooks and aggregation to a loopback port of
 * this machine, where databases and stores trust every client. So setting or changing it requires the right to `use` that port in the whole
 * cluster; the right to write Services in some namespace is not enough. `system:masters` has it, and users that a ClusterRole grants it to.
 */
export function localPorts({ authorizer }: Pick<AdmissionDeps, 'authorizer'>): AdmissionPlugin {
  return {
    name: 'LocalPorts',
    handles: (r) => (r.operation === 'CREATE' || r.operation === 'UPDATE') && r.resource.group === '' && r.resource.resource === 'services',
    async validate(request) {
      const port = request.object?.metadata.annotations?.[LOCAL_PORT]
      if (port === undefined || port === request.oldObject?.metadata.annotations?.[LOCAL_PORT]) return
      const right = resourceAttributes({ user: request.user, verb: 'use', group: GROUP, resource: RESOURCE, name: port })
      if ((await authorizer.authorize(right)).verdict === 'allow') return
      const name = goQuote(request.user.name)
      throw refusal(
        request,
        `the annotation ${LOCAL_PORT} needs the right to use ${RESOURCE}.${GROUP} ${goQuote(port)}, which user ${name} has not`,
      )
    },
  }
}
