import type { Node } from '../../resources/types/core.ts'
import { familyOf } from '../nftables/ruleset.ts'

/** By network (`10.244.1.0/24`), the address of the node that leads there. */
export type Routes = ReadonlyMap<string, string>

/** The ways to the pods of all other nodes. Pure. */
export function routesOf(nodes: readonly Node[], own: string): Routes {
  return new Map(
    nodes
      .filter(({ metadata }) => metadata.name !== own)
      .flatMap(({ spec, status }) => {
        const ips = (status?.addresses ?? []).filter(({ type }) => type === 'InternalIP').map(({ address }) => address)
        return (spec?.podCIDRs ?? []).flatMap((cidr) => {
          const via = ips.find((ip) => familyOf(ip) === familyOf(cidr))
          return via === undefined ? [] : [[cidr, via] as const]
        })
      }),
  )
}

/** What leads from the present routes to the wanted ones. Pure. */
export function planRoutes(wanted: Routes, present: Routes): { readonly replace: Routes; readonly remove: Routes } {
  return {
    replace: new Map([...wanted].filter(([cidr, via]) => present.get(cidr) !== via)),
    remove: new Map([...present].filter(([cidr]) => !wanted.has(cidr))),
  }
}
