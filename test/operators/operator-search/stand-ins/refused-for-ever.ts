/** cockroach crdbop-918: what is made of an input that makes sense is refused by the API server, for ever. */
import { POD_DISRUPTION_BUDGETS } from '../../../../src/resources/refs.ts'
import type { PodDisruptionBudget } from '../../../../src/resources/types/policy.ts'
import { ownedBy, standIn } from '../stand-in.ts'

export const refusedForEver = (mended: boolean) =>
  standIn([POD_DISRUPTION_BUDGETS], async ({ database, client }) => {
    const { namespace = '', name = '' } = database.metadata
    const { minAvailable, maxUnavailable } = (database.spec ?? {}) as { readonly minAvailable?: number; readonly maxUnavailable?: number }
    // The mistake: a budget may have one of the two alone.
    const both = { ...(minAvailable !== undefined && { minAvailable }), ...(maxUnavailable !== undefined && { maxUnavailable }) }
    const amount = mended && minAvailable !== undefined && maxUnavailable !== undefined ? { maxUnavailable } : both
    const budget: PodDisruptionBudget = {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name, ownerReferences: ownedBy(database) },
      spec: { selector: { matchLabels: { app: name } }, ...amount },
    }
    const own = { ...POD_DISRUPTION_BUDGETS, namespace, name }
    await client.patch(own, 'apply', budget, { fieldManager: 'databases', force: true })
  })
