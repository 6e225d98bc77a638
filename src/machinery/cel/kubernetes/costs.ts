import { ANY, actualSize, COST, plus, type Range, scaled, traversed } from '../cost.ts'
import type { FunctionCost, Library } from '../environment.ts'
import { nominal, perCharacter, regexCost } from '../standard/costs.ts'
import type { Value } from '../values.ts'

/** An authorization check is so expensive that an expression can make two. */
const CHECK = 350_000
/** Assumed length of the regular expression of a format. */
const FORMAT_PATTERN = 64

const SIZE_OF_CIDR = 1

/** `containsIP` and `containsCIDR`: two addresses, and reading the text when one is given. */
const within = (readsText: string): FunctionCost => ({
  estimate: ([, other], overload) => {
    const size: Range = other?.size ?? ANY
    const both = scaled(plus(size, size), COST.traversal)
    return { cost: overload === readsText ? plus(both, scaled(size, COST.traversal)) : both }
  },
  actual: ([, other], _result, overload) => Math.ceil(2 * SIZE_OF_CIDR * COST.traversal) + (overload === readsText ? traversed(other) : 0),
})

const parsing = perCharacter(0)

const ip: FunctionCost = {
  estimate: (args, overload) => (overload === 'cidr_ip' ? undefined : parsing.estimate?.(args, overload)),
  actual: (args: readonly Value[], result, overload) => (overload === 'cidr_ip' ? 1 : (parsing.actual?.(args, result, overload) ?? 1)),
}

/** Costs of Kubernetes' own functions; others cost 1. */
export const KUBERNETES_COSTS: Library = {
  costs: {
    check: nominal(CHECK),
    url: perCharacter(0, { keepsSize: true }),
    'jsonpatch.escapeKey': perCharacter(0),
    ip,
    cidr: parsing,
    isIP: parsing,
    isCIDR: parsing,
    'ip.isCanonical': perCharacter(0, { factor: 2 }),
    containsIP: within('cidr_contains_ip_string'),
    containsCIDR: within('cidr_contains_cidr_string'),
    quantity: parsing,
    isQuantity: parsing,
    semver: parsing,
    isSemver: parsing,
    validate: {
      estimate: ([, text]) => ({ cost: scaled(text?.size ?? ANY, COST.traversal * regexCost(0, FORMAT_PATTERN)) }),
      actual: ([, text]) => regexCost(actualSize(text ?? null), FORMAT_PATTERN),
    },
  },
}
