import { familyOf, type Ruleset } from '../nftables/ruleset.ts'

/** What leaves the networks of all pods gets the node's address; between pods their own addresses are seen. Pure. */
export function rulesetOfWayOut(podCidrs: readonly string[], clusterCidrs: readonly string[]): Ruleset {
  const rules = podCidrs.flatMap((own) => {
    const family = familyOf(own)
    const inside = clusterCidrs.filter((cidr) => familyOf(cidr) === family)
    if (inside.length === 0) return []
    return [`${family} saddr ${own} ${family} daddr != { ${inside.join(', ')} } masquerade`]
  })
  const post = { hook: 'type nat hook postrouting priority 100', rules }
  return { tables: new Map([['inet bowsprit-way-out', { chains: new Map([['post', post]]), sets: new Map() }]]) }
}
