import type { AllocationResult, ResourceClaim } from '../../resources/types/resource.ts'
import type { PreparedScore } from '../framework/prepared.ts'
import type { ClaimLedger } from './claim-ledger.ts'
import type { NodeSearch } from './node-search.ts'

/** As many alternatives as a request may have. */
const MAX_ALTERNATIVES = 8

/** Every node scores 0. */
export const NO_ALTERNATIVES = { of: () => 0, nothing: true }

/** Prefers the nodes on which earlier alternatives (`firstAvailable`) of the claims' requests were found. */
export function scoreAlternatives(search: NodeSearch, claims: readonly ResourceClaim[], ledger: ClaimLedger): PreparedScore {
  if (!claims.some((claim) => claim.spec?.devices?.requests?.some((r) => r.firstAvailable !== undefined))) return NO_ALTERNATIVES
  return {
    normalize(scores) {
      const highest = Math.max(...scores)
      for (let i = 0; i < scores.length; i++) scores[i] = highest === 0 ? 0 : Math.trunc((100 * (scores[i] ?? 0)) / highest)
    },
    of(row) {
      const found = search.resultOn(row)
      if (found?.kind !== 'allocated') return 0
      const fresh = new Map(search.open.map((claim, i) => [claim, found.allocations[i]]))
      return claims.reduce((sum, claim) => sum + preference(claim, fresh.get(claim) ?? ledger.allocationOf(claim)), 0)
    },
  }
}

/** More where earlier alternatives were found. */
function preference({ spec }: ResourceClaim, allocation: AllocationResult | undefined): number {
  const used = new Set(allocation?.devices?.results?.map((r) => r.request))
  let score = 0
  for (const request of spec?.devices?.requests ?? [])
    request.firstAvailable?.forEach((r, i) => {
      if (used.has(`${request.name}/${r.name}`)) score += MAX_ALTERNATIVES - i
    })
  return score
}
