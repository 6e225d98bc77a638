/** zookeeper zkop-541: a probe of a running set is not changed with its field, since only image and size are compared. */
import { STATEFUL_SETS } from '../../../../src/resources/refs.ts'
import type { StatefulSet } from '../../../../src/resources/types/apps.ts'
import { type Database, live, members, standIn } from '../stand-in.ts'

export const probeKept = (mended: boolean) =>
  standIn([STATEFUL_SETS], async ({ database, client }) => {
    const { namespace = '', name = '' } = database.metadata
    const own = { ...STATEFUL_SETS, namespace, name }
    const wanted = withProbe(database)
    const now = (await live(client, own)) as Readonly<StatefulSet> | undefined
    // The mistake: what decides about an update is less than what is made.
    if (!mended && now !== undefined && now.spec?.replicas === wanted.spec?.replicas) return
    await client.patch(own, 'apply', wanted, { fieldManager: 'databases', force: true })
  })

function withProbe(database: Readonly<Database>): StatefulSet {
  const set = members(database)
  const { probes } = (database.spec ?? {}) as { readonly probes?: { readonly liveness?: { readonly failureThreshold?: number } } }
  const failureThreshold = probes?.liveness?.failureThreshold ?? 3
  const livenessProbe = { tcpSocket: { port: 2181 }, failureThreshold }
  const containers = [{ name: 'member', image: 'pause', livenessProbe }]
  const { template, ...spec } = set.spec ?? {}
  return { ...set, spec: { ...spec, template: { ...template, spec: { containers } } } } as StatefulSet
}
