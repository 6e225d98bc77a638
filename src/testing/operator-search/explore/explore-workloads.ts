import type { KubeObject } from '../../../machinery/object.ts'
import type { CustomResourceDefinition } from '../../../resources/types/apiextensions.ts'
import type { WorkStep } from '../work-step.ts'
import { fieldChanges } from './field-changes.ts'

/** A workload that changes one field in its second step. */
export interface FieldWorkload {
  /** `spec.size` */
  readonly field: string
  readonly steps: readonly WorkStep[]
}

/** Workloads that change one field of a sample at a time, and take that back. */
export function exploreWorkloads(samples: readonly KubeObject[], install: readonly KubeObject[]): FieldWorkload[] {
  const definitions = install.filter((o): o is CustomResourceDefinition => o.kind === 'CustomResourceDefinition')
  return samples.flatMap((sample) => {
    const definition = definitions.find((d) => d.spec.names.kind === sample.kind && sample.apiVersion.startsWith(`${d.spec.group}/`))
    if (definition === undefined) return []
    return fieldChanges(sample, definition).map(({ path, value, object }) => ({
      field: path,
      steps: [
        { name: 'create', apply: samples },
        { name: value === undefined ? `${path} is unset` : `${path} becomes ${JSON.stringify(value)}`, apply: [object] },
        { name: `${path} is as before`, apply: [sample] },
      ],
    }))
  })
}
