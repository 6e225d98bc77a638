import { equalJson } from '../../machinery/equal.ts'
import type { CustomResourceDefinition, DefinitionCondition, DefinitionNames } from '../../resources/apiextensions/types.ts'

/** The outcome for the names that a definition wants. */
export interface Acceptance {
  readonly names: DefinitionNames
  readonly accepted: Pick<DefinitionCondition, 'status' | 'reason' | 'message'>
  /** All names are accepted; then the definition is established. */
  readonly complete: boolean
}

/** Refuses names that other definitions of the group have; accepted names of this one stay. Pure. */
export function acceptNames(crd: CustomResourceDefinition, others: readonly CustomResourceDefinition[]): Acceptance {
  const resources = new Set<string>()
  const kinds = new Set<string>()
  for (const other of others) {
    if (other.spec.group !== crd.spec.group || other.metadata.name === crd.metadata.name) continue
    const { plural, singular, shortNames, kind, listKind } = other.status.acceptedNames ?? {}
    for (const name of [plural, singular, ...(shortNames ?? [])]) if (name) resources.add(name)
    for (const name of [kind, listKind]) if (name) kinds.add(name)
  }
  const { names } = crd.spec
  const held = crd.status.acceptedNames ?? { plural: '', kind: '' }
  let accepted: DefinitionNames = { ...held }
  let problem: { reason: string; message: string } | undefined
  const inUse = (name: string) => `"${name}" is already in use`
  const one = (value: string, before: string | undefined, taken: ReadonlySet<string>, reason: string): boolean => {
    if (value === '' || value === before || !taken.has(value)) return true
    problem = { reason, message: inUse(value) }
    return false
  }
  if (one(names.plural, held.plural, resources, 'PluralConflict')) accepted = { ...accepted, plural: names.plural }
  if (one(names.singular ?? '', held.singular, resources, 'SingularConflict')) accepted = { ...accepted, singular: names.singular ?? '' }
  const wanted = names.shortNames ?? []
  const refused = equalJson(wanted, held.shortNames ?? [])
    ? []
    : wanted.filter((n) => !(held.shortNames ?? []).includes(n) && resources.has(n))
  if (refused.length > 0) {
    const texts = refused.map(inUse)
    problem = { reason: 'ShortNamesConflict', message: texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]` }
  } else {
    const { shortNames: _, ...rest } = accepted
    accepted = { ...rest, ...(names.shortNames ? { shortNames: names.shortNames } : {}) } as DefinitionNames
  }
  if (one(names.kind, held.kind, kinds, 'KindConflict')) accepted = { ...accepted, kind: names.kind }
  if (one(names.listKind ?? '', held.listKind, kinds, 'ListKindConflict')) accepted = { ...accepted, listKind: names.listKind ?? '' }
  const { categories: _, ...rest } = accepted
  accepted = { ...rest, ...(names.categories ? { categories: names.categories } : {}) } as DefinitionNames
  const ordered = inOrder(accepted)
  const complete = problem === undefined
  return {
    names: ordered,
    accepted: complete
      ? { status: 'True', reason: 'NoConflicts', message: 'no conflicts found' }
      : { status: 'False', reason: problem?.reason ?? '', message: problem?.message ?? '' },
    complete,
  }
}

/** In the order of Go's fields. */
function inOrder(names: DefinitionNames): DefinitionNames {
  const { plural, singular, shortNames, kind, listKind, categories } = names
  return {
    plural,
    ...(singular ? { singular } : {}),
    ...(shortNames?.length ? { shortNames } : {}),
    kind,
    ...(listKind ? { listKind } : {}),
    ...(categories?.length ? { categories } : {}),
  }
}
