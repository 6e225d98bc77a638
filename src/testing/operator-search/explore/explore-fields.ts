import type { KubeObject } from '../../../machinery/object.ts'
import type { CustomResourceDefinition } from '../../../resources/types/apiextensions.ts'
import type { FaultSearch } from '../fault-search.ts'
import { FieldEffects } from '../oracle/field-effects.ts'
import type { Symptom } from '../oracle/symptom.ts'
import type { WorkStep } from '../work-step.ts'
import type { WorkloadRunner } from '../workload-runner.ts'
import { changeText, type FieldChange, fieldChanges, fieldName } from './field-changes.ts'
import { FieldPairs } from './field-pairs.ts'
import { twinWorkloads } from './twin-workloads.ts'

/** What is explored. */
export interface ExploreConfig {
  readonly samples: readonly KubeObject[]
  /** The definitions are among them. */
  readonly install: readonly KubeObject[]
  /** How many fields of a sample are changed. */
  readonly mostFields: number
}

/** How much of the samples' schemas was tried. */
export interface ExploreReport {
  /** How many fields there are, and how many were changed: those that the samples set, and those nearest to the top, come first. */
  readonly fields: { readonly found: number; readonly tried: number }
  /** How many values were tried, and how many more the API server would refuse. */
  readonly values: { readonly tried: number; readonly refused: number }
  /** How many pairs of fields act on each other, and were changed together. */
  readonly pairs: number
}

/** What an exploration has found. */
export interface Exploration {
  readonly report: ExploreReport
  /** Fields that change nothing. */
  readonly symptoms: readonly Symptom[]
}

/** Tries workloads that change one field of a sample, or two that act on each other, or that make a second object, and take that back. */
export async function exploreFields(
  search: FaultSearch,
  runner: WorkloadRunner,
  { samples, install, mostFields }: ExploreConfig,
): Promise<Exploration> {
  const found = samples.flatMap((sample) => {
    const definition = definitionOf(sample, install)
    return definition === undefined ? [] : [{ sample, ...fieldChanges(sample, definition, mostFields) }]
  })
  const all = found.flatMap(({ sample, changes }) => changes.map((change) => ({ sample, change })))
  const accepted = await runner.accepted(all.map(({ change }) => change.object))
  const tried = all.filter((_, i) => accepted[i])
  const effects = new FieldEffects(runner.compared)
  await runner.all(tried, async ({ sample, change }) => {
    const history = await search.tryWorkload(thereAndBack(samples, sample, change), { newCauses: true })
    const effect = effects.of(history)
    if (effect !== undefined && !change.isPart) effects.add(fieldName(change), effect)
  })
  await runner.all(twinWorkloads(samples), async (workload) => void (await search.tryWorkload(workload, { only: 'none' })))
  const pairs = new FieldPairs({ search, runner, samples, effects })
  for (const { sample, changes } of found) {
    await pairs.findDependent(changes.filter((change) => tried.some((t) => t.sample === sample && t.change === change)))
    await pairs.tryAll(sample)
  }
  const sum = (of: (fields: { found: number; tried: number }) => number) => found.reduce((total, { fields }) => total + of(fields), 0)
  const report = {
    fields: { found: sum((f) => f.found), tried: sum((f) => f.tried) },
    values: { tried: tried.length, refused: all.length - tried.length },
    pairs: pairs.tried,
  }
  return { report, symptoms: effects.symptoms }
}

function definitionOf({ kind, apiVersion }: KubeObject, install: readonly KubeObject[]): CustomResourceDefinition | undefined {
  const definitions = install.filter((o): o is CustomResourceDefinition => o.kind === 'CustomResourceDefinition')
  return definitions.find((d) => d.spec.names.kind === kind && apiVersion.startsWith(`${d.spec.group}/`))
}

const thereAndBack = (samples: readonly KubeObject[], sample: KubeObject, change: FieldChange): WorkStep[] => [
  { name: 'create', apply: samples },
  { name: changeText(change), apply: [change.object], input: change.sort },
  { name: `${fieldName(change)} is as before`, apply: [sample] },
]
