import type { Chain, NftablesTable, Ruleset, SetOfElements } from './ruleset.ts'

const NO_TABLE: NftablesTable = { chains: new Map(), sets: new Map() }
const NO_ELEMENTS: ReadonlyMap<string, string> = new Map()

/**
 * What `nft -f -` has to read so that the kernel has `next`, in one transaction: all of it is done, or nothing. `previous`: what the kernel
 * has; undefined: unknown, so that tables are made anew. Elements that rules have added stay where the set stays. Pure.
 */
export function transactionOf(previous: Ruleset | undefined, next: Ruleset): string {
  const lines: string[] = []
  for (const [name, table] of next.tables) {
    const known = previous?.tables.get(name)
    if (known === undefined) lines.push(`add table ${name}`, `delete table ${name}`, `add table ${name}`)
    lines.push(...changesOf(name, known ?? NO_TABLE, table))
  }
  for (const name of previous?.tables.keys() ?? []) if (!next.tables.has(name)) lines.push(`delete table ${name}`)
  return lines.map((line) => `${line}\n`).join('')
}

/** The order matters: what is referred to is there before, and goes after. */
function changesOf(table: string, from: NftablesTable, to: NftablesTable): string[] {
  const goneChains = [...from.chains.keys()].filter((name) => !to.chains.has(name))
  const goneSets = [...from.sets].filter(([name]) => !to.sets.has(name))
  const changed = [...to.chains].filter(([name, chain]) => !sameRules(from.chains.get(name), chain))
  return [
    ...[...to.chains].flatMap(([name, { hook }]) => (from.chains.has(name) ? [] : [addChain(table, name, hook)])),
    ...[...to.sets].flatMap(([name, set]) => (from.sets.has(name) ? [] : [`add ${set.kind} ${table} ${name} { ${set.definition} ; }`])),
    ...[...to.sets].flatMap(([name, set]) => elementsGone(`${table} ${name}`, from.sets.get(name), set)),
    ...[...goneChains, ...changed.flatMap(([name]) => (from.chains.has(name) ? [name] : []))].map((name) => `flush chain ${table} ${name}`),
    ...goneSets.filter(([, { kind }]) => kind === 'map').map(([name]) => `flush map ${table} ${name}`),
    ...changed.flatMap(([name, { rules }]) => rules.map((rule) => `add rule ${table} ${name} ${rule}`)),
    ...[...to.sets].flatMap(([name, set]) => elementsNew(`${table} ${name}`, from.sets.get(name), set)),
    ...goneChains.map((name) => `delete chain ${table} ${name}`),
    ...goneSets.map(([name, { kind }]) => `delete ${kind} ${table} ${name}`),
  ]
}

const addChain = (table: string, name: string, hook: string | undefined) =>
  hook === undefined ? `add chain ${table} ${name}` : `add chain ${table} ${name} { ${hook} ; }`

const sameRules = (a: Chain | undefined, b: Chain) =>
  a !== undefined && a.rules.length === b.rules.length && a.rules.every((rule, i) => rule === b.rules[i])

function elementsGone(at: string, from: SetOfElements | undefined, to: SetOfElements): string[] {
  const wanted = to.elements ?? NO_ELEMENTS
  const gone = [...(from?.elements ?? NO_ELEMENTS)].filter(([key, value]) => wanted.get(key) !== value)
  return gone.length === 0 ? [] : [`delete element ${at} { ${gone.map(([key]) => key).join(', ')} }`]
}

function elementsNew(at: string, from: SetOfElements | undefined, to: SetOfElements): string[] {
  const known = from?.elements ?? NO_ELEMENTS
  const fresh = [...(to.elements ?? NO_ELEMENTS)].filter(([key, value]) => known.get(key) !== value)
  const text = fresh.map(([key, value]) => (value === '' ? key : `${key} : ${value}`))
  return fresh.length === 0 ? [] : [`add element ${at} { ${text.join(', ')} }`]
}
