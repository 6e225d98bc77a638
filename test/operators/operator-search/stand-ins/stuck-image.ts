/** An image that cannot be pulled is taken back, but the operator waits until the set is ready before it writes again. */
import { DEPLOYMENTS } from '../../../../src/resources/refs.ts'
import type { Deployment } from '../../../../src/resources/types/apps.ts'
import { live, ownedBy, standIn } from '../stand-in.ts'

export const stuckImage = (mended: boolean) =>
  standIn([DEPLOYMENTS], async ({ database, client }) => {
    const { namespace = '', name = '' } = database.metadata
    const own = { ...DEPLOYMENTS, namespace, name }
    const now = (await live(client, own)) as Readonly<Deployment> | undefined
    const { updatedReplicas = 0, replicas = 0, unavailableReplicas = 0 } = now?.status ?? {}
    // The mistake: what makes it ready is this very change.
    if (!mended && now !== undefined && (updatedReplicas < replicas || unavailableReplicas > 0)) return
    const labels = { app: name }
    const containers = [{ name: 'main', image: String(database.spec?.image) }]
    const spec = { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } }
    const deployment: Deployment = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name, ownerReferences: ownedBy(database) },
      spec,
    }
    await client.patch(own, 'apply', deployment, { fieldManager: 'databases', force: true })
  })
