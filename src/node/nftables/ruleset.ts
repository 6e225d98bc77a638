/** The part of nftables that one component owns: tables of its own, so that what others have written is not touched. */
export interface Ruleset {
  /** By family and name: `ip bowsprit-services`. */
  readonly tables: ReadonlyMap<string, NftablesTable>
}

export interface NftablesTable {
  readonly chains: ReadonlyMap<string, Chain>
  /** Maps and sets by name; those without elements are filled by rules. */
  readonly sets: ReadonlyMap<string, SetOfElements>
}

export interface Chain {
  /** `type nat hook output priority -100`; absent: a chain that others jump to. */
  readonly hook?: string
  readonly rules: readonly string[]
}

export interface SetOfElements {
  readonly kind: 'map' | 'set'
  /** `type ipv4_addr . inet_proto . inet_service : verdict` */
  readonly definition: string
  /** Element → its value in a map; `''` in a set. Absent: rules write the elements. */
  readonly elements?: ReadonlyMap<string, string>
}

export type Family = 'ip' | 'ip6'

export const familyOf = (address: string): Family => (address.includes(':') ? 'ip6' : 'ip')
