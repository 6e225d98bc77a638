import { repairAllocations } from '../../server/allocation/repair-allocations.ts'
import { FlowControlDefaults } from '../../server/bootstrap/flow-control-defaults.ts'
import { CustomResources } from '../../server/custom/custom-resources.ts'
import { serveThirdPartyResources } from '../../server/custom/third-party/third-party-resources.ts'
import { FlowSchemaConditions } from '../../server/flow-schemas/flow-schema-conditions.ts'
import type { ServerOptions } from '../../server/options/server-options.ts'
import type { Bootstrap } from './begin-bootstrap.ts'
import { componentStatuses } from './component-statuses.ts'
import type { CreatedServer } from './create-part-server.ts'
import type { Caches } from './open-caches.ts'
import type { Extensions } from './open-extensions.ts'
import type { OwnCalls } from './own-calls.ts'
import type { PhaseDeps } from './server-part-deps.ts'

type LateParts = Caches & Extensions & CreatedServer & { readonly bootstrap: Bootstrap; readonly own: OwnCalls }

/**
 * Everything that writes through the server, and so is opened after it: custom resources, bootstrap objects, the status of flow schemas,
 * local APIServices, allocations.
 */
export async function openLateParts({ features, requests }: ServerOptions, parts: LateParts, deps: PhaseDeps): Promise<void> {
  const { server, watchCache, definitions, webhooks, aggregation, bootstrap, nodePorts, own } = parts
  const { clock, random, log, held } = deps
  const { store } = server.tools
  showComponents(parts, deps)
  held.use(new CustomResources({ store, watchCache, definitions, clock, random, log, client: webhooks, transport: own.transport }))
  if (features.thirdPartyResources) held.defer(serveThirdPartyResources({ watchCache, definitions, random, client: webhooks }))
  await bootstrap.finish(own.transport())
  if (requests.fair) await held.use(new FlowSchemaConditions({ watchCache, transport: own.transport(), clock, random, log })).start()
  held.use(new FlowControlDefaults({ watchCache, definitions, transport: own.transport(), clock, log })).start()
  await aggregation.start()
  held.defer(await repairAllocations({ reader: watchCache.reader, writer: store.writer, nodePorts, clock, log }))
}

function showComponents({ definitions, server }: LateParts, { parts }: PhaseDeps): void {
  const components = definitions.byKind('', 'ComponentStatus')
  if (components === undefined) return
  for (const status of componentStatuses(parts)) server.tools.store.show(components, status)
}
