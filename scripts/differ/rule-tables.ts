import { globSync } from 'node:fs'
import { registerHooks } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { asKubeObject, type KubeObject } from '../../src/machinery/object.ts'
import type { ResourceDefinition } from '../../src/machinery/resource/definition.ts'
import { decodeYaml } from '../../src/machinery/yaml/yaml.ts'
import type { RuleTables } from '../../src/resources/rule-table.contract.ts'
import { collected } from './collect-rule-tables.ts'

/** The changes of a table of rules (`src/resources/rule-changes.ts`), without what we expect of them. */
export interface RuleTable {
  /** A valid object. */
  readonly object: KubeObject
  readonly creates: readonly string[]
  /** `A -> B`, or `B`: by what is written (`''` for the object itself, or a subresource). */
  readonly updates: Readonly<Record<string, readonly string[]>>
}

const root = path.join(import.meta.dirname, '..', '..')
const collector = pathToFileURL(path.join(import.meta.dirname, 'collect-rule-tables.ts')).href

/** The tables of `src/resources/**\/x.rules.test.ts` by collection, as `Kind` has it; none of a feature that is off by default. */
export async function readRuleTables(): Promise<ReadonlyMap<string, readonly RuleTable[]>> {
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      context.parentURL?.endsWith('.rules.test.ts') && (specifier === 'node:test' || specifier.endsWith('/rule-table.contract.ts'))
        ? { url: collector, shortCircuit: true }
        : next(specifier, context),
  })
  try {
    for (const file of globSync('src/resources/**/*.rules.test.ts', { cwd: root }).sort())
      await import(pathToFileURL(path.join(root, file)).href)
  } finally {
    hooks.deregister()
  }
  const found = collected.filter(({ tables }) => (tables.gates ?? []).length === 0)
  return new Map(
    [...Map.groupBy(found, ({ definition }) => collectionOf(definition))].map(([collection, all]) => [
      collection,
      all.map(({ definition, tables }) => tableOf(definition, tables)),
    ]),
  )
}

function collectionOf({ group, storageVersion, scope, names }: ResourceDefinition): string {
  const base = group === '' ? `/api/${storageVersion}` : `/apis/${group}/${storageVersion}`
  return `${base}${scope === 'Namespaced' ? '/namespaces/{ns}' : ''}/${names.plural}`
}

function tableOf({ names }: ResourceDefinition, { object, create, update = [], status = [], parts }: RuleTables): RuleTable {
  const given = asKubeObject(decodeYaml(object).value)
  // Without the volume of a token, which has a name by chance.
  const spec = names.kind === 'Pod' && { spec: { ...(given.spec ?? {}), automountServiceAccountToken: false } }
  const changesOf = (rows: readonly (readonly [string, ...string[]])[]) => rows.map(([change]) => change)
  return {
    object: { ...given, ...spec, metadata: { name: 'a', ...given.metadata } },
    creates: changesOf(create ?? []),
    updates: Object.fromEntries(
      Object.entries({ '': update, status, ...parts })
        .filter(([, rows]) => rows.length > 0)
        .map(([part, rows]) => [part, changesOf(rows)]),
    ),
  }
}
