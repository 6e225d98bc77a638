import { systemClock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import type { OpenedPort } from '../../base/opened-port.ts'
import type { Part } from '../../cluster/cluster-options.ts'
import { withCertificate } from '../../cluster/server/api-server.ts'
import { startCluster } from '../../cluster/start-cluster.ts'
import type { ServerOptions } from '../../server/options/server-options.ts'

/** A server with these options, and the parts of `BOWSPRIT_PARTS` in the same process. */
export async function startParts(
  parts: readonly string[],
  options: ServerOptions,
  deps: { readonly log: Logger; readonly opened?: OpenedPort },
) {
  const server = withNodes(parts, withCertificate(options, systemClock))
  const { host, port } = server.serving
  const config = { parts: parts as Part[], ephemeral: true, host, port, serviceCidr: server.network.serviceCidr }
  const cluster = await startCluster(config, { server, ...deps })
  return {
    address: cluster.address,
    failed: cluster.failed,
    drain: async () => {},
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  }
}

/** Nodes need the Node authorizer; envtest configures only RBAC, because it has no nodes. */
function withNodes(parts: readonly string[], options: ServerOptions): ServerOptions {
  const { authorization } = options
  if (!parts.includes('nodes') || authorization.authorizers.some(({ type }) => type === 'Node')) return options
  return { ...options, authorization: { ...authorization, authorizers: [{ type: 'Node', name: 'node' }, ...authorization.authorizers] } }
}
