import { type ArgumentEstimate, COST, ONE, type Range, scaled, UNBOUNDED } from '../cost.ts'
import type { FunctionCost, Library } from '../environment.ts'
import { equating, nominal, perCharacter } from '../standard/costs.ts'

/** An authorization check is so expensive that an expression can make two. */
const CHECK = 350_000
/** The longest name of a format. */
const FORMAT_NAME = 64

const parsing = perCharacter(0)

/** Values of Kubernetes' own types are compared at once, but for URLs and formats, which are compared as texts. */
const equatingOwn: FunctionCost = {
  ...equating,
  estimate: (args, overload) => {
    const size = ownSize(args)
    return size === undefined ? equating.estimate?.(args, overload) : { cost: scaled(size, COST.traversal) }
  },
}

function ownSize([a, b]: readonly ArgumentEstimate[]): Range | undefined {
  if (a?.type.kind !== 'opaque' || b?.type.kind !== 'opaque' || a.type.name !== b.type.name || a.type.name === 'optional_type')
    return undefined
  if (a.type.name === 'kubernetes.NamedFormat') return { min: 1, max: FORMAT_NAME }
  return a.type.name === 'kubernetes.URL' && b.size.max < UNBOUNDED ? { min: 1, max: b.size.max } : ONE
}

/** Costs of Kubernetes' own functions; others cost 1. */
export const KUBERNETES_COSTS: Library = {
  costs: {
    '_==_': equatingOwn,
    check: nominal(CHECK),
    url: perCharacter(0, { keepsSize: true }),
    'jsonpatch.escapeKey': perCharacter(0, { keepsSize: true }),
    quantity: parsing,
    isQuantity: parsing,
    semver: parsing,
    isSemver: parsing,
  },
}
