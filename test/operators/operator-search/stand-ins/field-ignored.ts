/** redis rdoptwo-287: the part that a field switches on never appears. */
import { CONFIG_MAPS, POD_DISRUPTION_BUDGETS } from '../../../../src/resources/refs.ts'
import type { ConfigMap } from '../../../../src/resources/types/core.ts'
import type { PodDisruptionBudget } from '../../../../src/resources/types/policy.ts'
import { ensure, ownedBy, remove, standIn } from '../stand-in.ts'

export const fieldIgnored = (mended: boolean) =>
  standIn([CONFIG_MAPS, POD_DISRUPTION_BUDGETS], async ({ database, client }) => {
    const { namespace = '', name = '' } = database.metadata
    const metadata = { name, ownerReferences: ownedBy(database) }
    const map: ConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { tier: String(database.spec?.tier) } }
    await client.patch({ ...CONFIG_MAPS, namespace, name }, 'apply', map, { fieldManager: 'databases', force: true })
    // The mistake: the function that makes the budget is never called.
    if (!mended) return
    const budget: PodDisruptionBudget = {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata,
      spec: { minAvailable: 1, selector: { matchLabels: { app: name } } },
    }
    const own = { ...POD_DISRUPTION_BUDGETS, namespace, name }
    if (database.spec?.pdb === true) await ensure(client, own, budget)
    else await remove(client, own)
  })
