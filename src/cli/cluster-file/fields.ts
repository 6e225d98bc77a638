import type { Command, Option } from 'commander'

/** A field of `spec`: a flag of `bowsprit up`, under its name in camelCase. */
export interface ClusterField {
  readonly name: string
  readonly option: Option
  readonly kind: 'flag' | 'number' | 'path' | 'list' | 'several' | 'map' | 'shapes' | 'text'
}

/** Flags that are about one start, not about the cluster. */
const NO_FIELDS: ReadonlySet<string> = new Set(['file', 'verbose', 'logFormat', 'untilStdinEnds'])

const KINDS: Readonly<Record<string, ClusterField['kind']>> = {
  boolean: 'flag',
  count: 'number',
  port: 'number',
  file: 'path',
  folder: 'path',
  list: 'list',
  ranges: 'list',
  limits: 'map',
  shapes: 'shapes',
  'image=command': 'several',
}

/** The fields of a cluster file, from the definitions of the options of `bowsprit up`. */
export function clusterFields({ options }: Command): readonly ClusterField[] {
  return options
    .map((option) => ({ name: option.attributeName(), option, kind: kindOf(option) }))
    .filter(({ name }) => !NO_FIELDS.has(name))
}

function kindOf({ flags }: Option): ClusterField['kind'] {
  const [, placeholder] = /[<[]([^>\]]+)[>\]]/.exec(flags) ?? []
  return placeholder === undefined ? 'flag' : (KINDS[placeholder] ?? 'text')
}
