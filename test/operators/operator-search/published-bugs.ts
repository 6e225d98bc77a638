/** Stand-ins with the mistakes of published bugs: what they are given, and what has to be found. */
import type { KubeObject } from '../../../src/machinery/object.ts'
import type { InProcessOperator } from '../../../src/testing/operator-search/run/operator-life.ts'
import type { WorkStep } from '../../../src/testing/operator-search/work-step.ts'
import { database, databases } from './stand-in.ts'
import { crashInResize } from './stand-ins/crash-in-resize.ts'
import { staleFinalizer } from './stand-ins/stale-finalizer.ts'

/** A bug of the list in `operator-bugs.md`. */
export interface PublishedBug {
  readonly id: string
  readonly operator: (mended: boolean) => InProcessOperator
  readonly install: readonly KubeObject[]
  readonly sample: KubeObject
  /** Default: created, deleted, created again. */
  readonly steps?: readonly WorkStep[]
  /** A symptom that has to be among those found. */
  readonly found: RegExp
}

const change = (...samples: readonly KubeObject[]): WorkStep[] => samples.map((sample, i) => ({ name: `input ${i + 1}`, apply: [sample] }))

export const PUBLISHED_BUGS: readonly PublishedBug[] = [
  {
    id: 'rabbitmq #648',
    operator: staleFinalizer,
    install: [databases({ size: { type: 'integer' } })],
    sample: database({ size: 1 }),
    found: /^wrong, stale: StatefulSet default\/d is deleted once, not never$/,
  },
  {
    id: 'rabbitmq #782',
    operator: crashInResize,
    install: [databases({ storage: { type: 'integer' } })],
    sample: database({ storage: 10 }),
    steps: change(database({ storage: 10 }), database({ storage: 15 })),
    found: /^wrong, crash: ConfigMap default\/d-claims: \.data\.storage is 10Gi, not 15Gi$/,
  },
]
