/** Stand-ins with the mistakes of published bugs: what they are given, and what has to be found. */
import type { KubeObject } from '../../../src/machinery/object.ts'
import type { JSONSchemaProps } from '../../../src/resources/types/apiextensions.ts'
import type { InProcessOperator } from '../../../src/testing/operator-search/run/operator-life.ts'
import type { WorkStep } from '../../../src/testing/operator-search/work-step.ts'
import { database, databases } from './stand-in.ts'
import { configKept } from './stand-ins/config-kept.ts'
import { crashBetweenSecrets } from './stand-ins/crash-between-secrets.ts'
import { crashInResize } from './stand-ins/crash-in-resize.ts'
import { failedForEver } from './stand-ins/failed-for-ever.ts'
import { fieldIgnored } from './stand-ins/field-ignored.ts'
import { labelsIgnored } from './stand-ins/labels-ignored.ts'
import { nullCrash } from './stand-ins/null-crash.ts'
import { pairOfFields } from './stand-ins/pair-of-fields.ts'
import { partCrash } from './stand-ins/part-crash.ts'
import { probeKept } from './stand-ins/probe-kept.ts'
import { refusedForEver } from './stand-ins/refused-for-ever.ts'
import { staleClaims } from './stand-ins/stale-claims.ts'
import { staleFinalizer } from './stand-ins/stale-finalizer.ts'
import { staleScaleDown } from './stand-ins/stale-scale-down.ts'
import { staleSwitch } from './stand-ins/stale-switch.ts'
import { stuckMember } from './stand-ins/stuck-member.ts'
import { unseenScaleDown } from './stand-ins/unseen-scale-down.ts'

/** A bug of the list in `operator-bugs.md`. */
export interface PublishedBug {
  readonly id: string
  readonly operator: (mended: boolean) => InProcessOperator
  readonly install: readonly KubeObject[]
  readonly sample: KubeObject
  /** Default: created, deleted, created again. */
  readonly steps?: readonly WorkStep[]
  /** Also change each field. */
  readonly explore?: boolean
  /** A symptom that has to be among those found. */
  readonly found: RegExp
}

const TEXTS: JSONSchemaProps = { type: 'object', additionalProperties: { type: 'string' } }
const object = (properties: Readonly<Record<string, JSONSchemaProps>>): JSONSchemaProps => ({ type: 'object', properties })
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
  {
    id: 'zookeeper #312, casskop #316, instaclustr #402, xtradb K8SPXC-716',
    operator: staleClaims,
    install: [databases({ size: { type: 'integer' } })],
    sample: database({ size: 1 }),
    found: /^data lost, stale: PersistentVolumeClaim default\/data-d is deleted once, not never$/,
  },
  {
    id: 'yugabyte #35 and #36',
    operator: staleSwitch,
    install: [databases({ tls: { type: 'boolean' } })],
    sample: database({ tls: true }),
    explore: true,
    found: /^data lost, stale: Secret default\/d-tls is deleted once, not never$/,
  },
  {
    id: 'xtradb K8SPXC-897, mongodb K8SPSMDB-578 and -579',
    operator: crashBetweenSecrets,
    install: [databases({ size: { type: 'integer' } })],
    sample: database({ size: 1 }),
    found: /^data lost, crash: Secret default\/d-ssl-internal is missing$/,
  },
  {
    id: 'zookeeper #314',
    operator: staleScaleDown,
    install: [databases({ size: { type: 'integer', minimum: 1 } })],
    sample: database({ size: 2 }),
    explore: true,
    found: /^data lost, stale: PersistentVolumeClaim default\/data-d-1-of is deleted once, not never$/,
  },
  {
    id: 'zookeeper zkop-547, redis rdoptwo-480',
    operator: stuckMember,
    install: [databases({ nodeSelector: { type: 'object', additionalProperties: { type: 'string' } } })],
    sample: database({ nodeSelector: { 'kubernetes.io/os': 'linux' } }),
    explore: true,
    found: /^stuck, no fault: Pod default\/d-\*: \.status\.phase is Pending, not Running$/,
  },
  {
    id: 'rabbitmq rbop-992, redis rdoptwo-280',
    operator: configKept,
    install: [databases({ config: { type: 'string' } })],
    sample: database({ config: 'a' }),
    steps: change(database({ config: 'a' }), database({ config: 'b' })),
    found: /^wrong, no fault: ConfigMap default\/d-config: \.data\.config is a, not b$/,
  },
  {
    id: 'redis rdoptwo-287',
    operator: fieldIgnored,
    install: [databases({ pdb: { type: 'boolean' }, tier: { type: 'string' } })],
    sample: database({ tier: 'a' }),
    explore: true,
    found: /^wrong, no fault: spec\.pdb changes nothing$/,
  },
  {
    id: 'knative knop-1137',
    operator: nullCrash,
    install: [databases({ replicas: { type: 'integer', nullable: true } })],
    sample: database({ replicas: 1 }),
    explore: true,
    found: /^stuck, no fault: it has crashed: .*nil pointer/,
  },
  {
    id: 'zookeeper #453',
    operator: unseenScaleDown,
    install: [databases({ size: { type: 'integer', minimum: 1 } })],
    sample: database({ size: 2 }),
    explore: true,
    found: /^wrong, unobserved: PersistentVolumeClaim default\/data-d-\d-of is deleted never, not once$/,
  },
  {
    id: 'zookeeper zkop-541',
    operator: probeKept,
    install: [databases({ probes: object({ liveness: object({ failureThreshold: { type: 'integer', minimum: 1 } }) }) })],
    sample: database({}),
    explore: true,
    found: /^wrong, no fault: StatefulSet default\/d: .*\.livenessProbe\.failureThreshold is 3, not 2$/,
  },
  {
    id: 'zookeeper zkop-474, rabbitmq rbop-928, knative knop-1158',
    operator: labelsIgnored,
    install: [databases({ pods: object({ labels: TEXTS, annotations: TEXTS }) })],
    sample: database({}),
    explore: true,
    found: /^wrong, no fault: spec\.pods\.labels changes nothing$/,
  },
  {
    id: 'redis rdoptwo-283, -290 and -292, cockroach crdbop-918',
    operator: refusedForEver,
    install: [databases({ minAvailable: { type: 'integer', minimum: 0 }, maxUnavailable: { type: 'integer', minimum: 0 } })],
    sample: database({ minAvailable: 1 }),
    explore: true,
    found: /^stuck, no fault: patch poddisruptionbudgets default\/d → 422: .*/,
  },
  {
    id: 'mongodb mgopone-1054',
    operator: partCrash,
    install: [databases({ tls: object({ ca: { ...object({ name: { type: 'string' } }), required: ['name'] } }) })],
    sample: database({}),
    explore: true,
    found: /^stuck, no fault: it has crashed: .*nil pointer/,
  },
  {
    id: 'mongodb mgopone-1245',
    operator: failedForEver,
    install: [databases({ podTemplate: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } })],
    sample: database({}),
    explore: true,
    found: /^wrong, no fault: Database default\/d: \.status\.phase is Failed, not Running$/,
  },
  {
    id: 'a pair of fields',
    operator: pairOfFields,
    install: [databases({ metrics: { type: 'boolean' }, port: { type: 'integer', minimum: 1 } })],
    sample: database({}),
    explore: true,
    found: /^wrong, no fault: ConfigMap default\/d-metrics: \.data\.port is \d+, not \d+$/,
  },
]
