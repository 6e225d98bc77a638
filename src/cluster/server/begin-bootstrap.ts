import { quiet } from '../../base/quiet.ts'
import type { Transport } from '../../machinery/api-call.ts'
import type { BootstrapConfig } from '../../server/bootstrap/bootstrap-objects.ts'
import { ensureBootstrap } from '../../server/bootstrap/ensure-bootstrap.ts'
import { installPreparedObjects } from '../../server/bootstrap/install-prepared-objects.ts'
import type { ServerOptions } from '../../server/options/server-options.ts'
import type { Caches } from './open-caches.ts'
import type { PhaseDeps } from './server-part-deps.ts'

/** The objects that every cluster has (roles, namespaces, flow schemas, …), on their way into the store. */
export interface Bootstrap {
  readonly config: BootstrapConfig
  /** Resolves when all of them exist; creates through `transport` what was not prepared. */
  finish(transport: Transport): Promise<void>
}

/** A fresh store gets the prepared objects at once, while the other parts of the server are created. */
export function beginBootstrap(options: ServerOptions, { store, ownStores, definitions, watchCache }: Caches, deps: PhaseDeps): Bootstrap {
  const { clock, random, prepared, shared } = deps
  const isWhole = [...options.features.runtimeConfig.values()].every((on) => on)
  const serves = (group: string, version: string) =>
    definitions.ofGroup(group).some(({ versions }) => versions.some((one) => one.served && one.version === version))
  const config: BootstrapConfig = {
    serviceCidr: options.network.serviceCidr,
    roles: options.authorization.authorizers.some((authorizer) => authorizer.type === 'RBAC'),
    gatedKinds: options.features.gatedKinds,
    age: options.features.age,
    port: servicePort(options),
    nodePort: options.network.kubernetesNodePort,
    ...(!isWhole && { serves }),
  }
  const laidDown = installPreparedObjects(
    { ...config, audited: options.audit.policy !== undefined, oneStore: ownStores.length === 0, plugins: options.admission.plugins },
    { store, watchCache, clock, random, ...(prepared && { prepared }) },
  )
  void quiet(laidDown, '`finish` reports it; until then it must not end the process')
  return {
    config,
    async finish(transport) {
      // A copy of a running cluster has what that has.
      const isCopy = shared !== undefined && config.gatedKinds.length === 0
      if (!(await laidDown) && !isCopy) await ensureBootstrap(config, { reader: watchCache.reader, definitions, transport, clock })
    },
  }
}

/** The port of the service `kubernetes`: the server's own, or 6443 if the server uses any free one. */
export const servicePort = ({ serving }: Pick<ServerOptions, 'serving'>): number => (serving.port === 0 ? 6443 : serving.port)
