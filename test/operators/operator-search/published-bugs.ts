/** Stand-ins with the mistakes of published bugs: what they are given, and what has to be found. */
import type { KubeObject } from '../../../src/machinery/object.ts'
import type { JSONSchemaProps } from '../../../src/resources/types/apiextensions.ts'
import type { InProcessOperator } from '../../../src/testing/operator-search/run/operator-life.ts'
import { database, databases } from './stand-in.ts'
import { configKept } from './stand-ins/config-kept.ts'
import { certificates, crashBetweenCertificates } from './stand-ins/crash-between-certificates.ts'
import { crashBetweenSecrets } from './stand-ins/crash-between-secrets.ts'
import { crashInResize } from './stand-ins/crash-in-resize.ts'
import { failedForEver } from './stand-ins/failed-for-ever.ts'
import { fieldIgnored } from './stand-ins/field-ignored.ts'
import { keyKept } from './stand-ins/key-kept.ts'
import { labelClaims } from './stand-ins/label-claims.ts'
import { labelsIgnored } from './stand-ins/labels-ignored.ts'
import { nullCrash } from './stand-ins/null-crash.ts'
import { orphanClaims } from './stand-ins/orphan-claims.ts'
import { partCrash } from './stand-ins/part-crash.ts'
import { pluginKept } from './stand-ins/plugin-kept.ts'
import { portRefused } from './stand-ins/port-refused.ts'
import { probeKept } from './stand-ins/probe-kept.ts'
import { refusedForEver } from './stand-ins/refused-for-ever.ts'
import { resourcesCrash } from './stand-ins/resources-crash.ts'
import { secretCrash } from './stand-ins/secret-crash.ts'
import { staleClaims } from './stand-ins/stale-claims.ts'
import { staleCleanup } from './stand-ins/stale-cleanup.ts'
import { staleFinalizer } from './stand-ins/stale-finalizer.ts'
import { stalePort } from './stand-ins/stale-port.ts'
import { staleScaleDown } from './stand-ins/stale-scale-down.ts'
import { staleSwitch } from './stand-ins/stale-switch.ts'
import { stuckAffinity } from './stand-ins/stuck-affinity.ts'
import { stuckMember } from './stand-ins/stuck-member.ts'
import { templateKept } from './stand-ins/template-kept.ts'
import { unseenScaleDown } from './stand-ins/unseen-scale-down.ts'

/** A mistake, and what has to be found. It is explored with no word about where it is. */
export interface KnownMistake {
  readonly id: string
  readonly operator: (mended: boolean) => InProcessOperator
  readonly install: readonly KubeObject[]
  readonly sample: KubeObject
  /** A symptom that has to be among those found. */
  readonly found: RegExp
}

/** Databases with these fields, and one of them. */
export const given = (
  properties: Readonly<Record<string, JSONSchemaProps>>,
  spec: Record<string, unknown>,
  ...others: readonly KubeObject[]
) => ({
  install: [databases(properties), ...others],
  sample: database(spec),
})

const INTEGER: JSONSchemaProps = { type: 'integer' }
const SIZE: JSONSchemaProps = { type: 'integer', minimum: 1 }
const TEXT: JSONSchemaProps = { type: 'string' }
const SWITCH: JSONSchemaProps = { type: 'boolean' }
const TEXTS: JSONSchemaProps = { type: 'object', additionalProperties: TEXT }
const ANYTHING: JSONSchemaProps = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
const object = (properties: Readonly<Record<string, JSONSchemaProps>>, ...required: readonly string[]): JSONSchemaProps => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required: [...required] }),
})

const PANIC = /^stuck, no fault: it has crashed: .*nil (?:pointer|map)/

/** The bugs of the list in `operator-bugs.md`. */
export const PUBLISHED_BUGS: readonly KnownMistake[] = [
  {
    id: 'rabbitmq #648',
    operator: staleFinalizer,
    ...given({}, {}),
    found: /^wrong, stale: StatefulSet default\/d is deleted once, not never$/,
  },
  {
    id: 'rabbitmq #782',
    operator: crashInResize,
    ...given({ storage: INTEGER }, { storage: 10 }),
    found: /^wrong, crash: ConfigMap default\/d-claims: \.data\.storage is \d+Gi, not \d+Gi$/,
  },
  {
    id: 'zookeeper #312',
    operator: staleClaims,
    ...given({}, {}),
    found: /^data lost, stale: PersistentVolumeClaim default\/data-d is deleted once, not never$/,
  },
  {
    id: 'zookeeper #314',
    operator: staleScaleDown,
    ...given({ size: SIZE }, { size: 2 }),
    found: /^data lost, stale: PersistentVolumeClaim default\/data-d-1-of is deleted once, not never$/,
  },
  {
    id: 'zookeeper #453',
    operator: unseenScaleDown,
    ...given({ size: SIZE }, { size: 2 }),
    found: /^wrong, unobserved: PersistentVolumeClaim default\/data-d-\d-of is deleted never, not once$/,
  },
  {
    id: 'casskop #316',
    operator: labelClaims,
    ...given({}, {}),
    found: /^data lost, stale: PersistentVolumeClaim default\/rack-1-d is deleted once, not never$/,
  },
  {
    id: 'yugabyte #35',
    operator: staleSwitch,
    ...given({ tls: SWITCH }, { tls: true }),
    found: /^data lost, stale: Secret default\/d-tls is deleted once, not never$/,
  },
  {
    id: 'yugabyte #36',
    operator: stalePort,
    ...given({ page: object({ port: INTEGER }) }, { page: { port: 7000 } }),
    found: /^wrong, stale: Service default\/d-page is deleted once, not never$/,
  },
  {
    id: 'xtradb K8SPXC-716',
    operator: staleCleanup,
    ...given({}, {}),
    found: /^data lost, stale: PersistentVolumeClaim default\/datadir-d is deleted once, not never$/,
  },
  {
    id: 'xtradb K8SPXC-897',
    operator: crashBetweenCertificates(['-ssl', '-ssl-internal']),
    ...given({}, {}, certificates),
    found: /^stuck, crash: Certificate default\/d-ssl-internal is missing$/,
  },
  {
    id: 'mongodb K8SPSMDB-578',
    operator: crashBetweenSecrets,
    ...given({}, {}),
    found: /^data lost, crash: Secret default\/d-ssl-internal is missing$/,
  },
  {
    id: 'mongodb K8SPSMDB-579',
    operator: crashBetweenCertificates(['-ssl-internal', '-ssl']),
    ...given({}, {}, certificates),
    found: /^stuck, crash: Certificate default\/d-ssl is missing$/,
  },
  {
    id: 'instaclustr #402',
    operator: orphanClaims,
    ...given({}, {}),
    found: /^data lost, stale: PersistentVolumeClaim default\/data-d is deleted once, not never$/,
  },
  {
    id: 'zookeeper zkop-547',
    operator: stuckMember,
    ...given({ nodeSelector: TEXTS }, { nodeSelector: { 'kubernetes.io/os': 'linux' } }),
    found: /^stuck, no fault: Pod default\/d-\*: \.status\.phase is Pending, not Running$/,
  },
  {
    id: 'zookeeper zkop-541',
    operator: probeKept,
    ...given({ probes: object({ liveness: object({ failureThreshold: SIZE }) }) }, {}),
    found: /^wrong, no fault: StatefulSet default\/d: .*\.livenessProbe\.failureThreshold is 3, not 2$/,
  },
  {
    id: 'zookeeper zkop-474',
    operator: labelsIgnored,
    ...given({ pods: object({ labels: TEXTS, annotations: TEXTS }) }, {}),
    found: /^wrong, no fault: spec\.pods\.labels changes nothing$/,
  },
  {
    id: 'redis rdoptwo-480',
    operator: stuckAffinity,
    ...given({ leader: object({ affinity: ANYTHING }) }, {}),
    found: /^stuck, no fault: Pod default\/d-\*: \.status\.phase is Pending, not Running$/,
  },
  {
    id: 'redis rdoptwo-287',
    operator: fieldIgnored,
    ...given({ pdb: SWITCH, tier: TEXT }, { tier: 'a' }),
    found: /^wrong, no fault: spec\.pdb changes nothing$/,
  },
  {
    id: 'redis rdoptwo-280',
    operator: templateKept,
    ...given({ storage: object({ size: TEXT }) }, { storage: { size: '1Gi' } }),
    found: /^wrong, no fault: StatefulSet default\/d: \.spec\.volumeClaimTemplates.*storage is 1Gi, not 2Gi$/,
  },
  { id: 'redis rdoptwo-290', operator: resourcesCrash, ...given({ resources: ANYTHING }, {}), found: PANIC },
  { id: 'redis rdoptwo-292', operator: secretCrash, ...given({ existingSecret: object({ name: TEXT }, 'name') }, {}), found: PANIC },
  {
    id: 'redis rdoptwo-283',
    operator: portRefused,
    ...given({ exporter: object({ enabled: SWITCH, port: SIZE }) }, {}),
    found: /^stuck, no fault: patch services default\/d-exporter → 422: .*/,
  },
  {
    id: 'rabbitmq rbop-928',
    operator: pluginKept,
    ...given({ plugins: { type: 'array', items: TEXT } }, {}),
    found: /^wrong, no fault: ConfigMap default\/d-plugins: \.data\.enabled is management,x, not management$/,
  },
  {
    id: 'rabbitmq rbop-992',
    operator: configKept,
    ...given({ config: TEXT }, { config: 'a' }),
    found: /^wrong, no fault: ConfigMap default\/d-config: \.data\.config is a, not ax$/,
  },
  { id: 'knative knop-1137', operator: nullCrash, ...given({ replicas: { ...INTEGER, nullable: true } }, { replicas: 1 }), found: PANIC },
  {
    id: 'knative knop-1158',
    operator: keyKept,
    ...given({ config: TEXTS }, {}),
    found: /^wrong, no fault: ConfigMap default\/d-settings: \.data\.x is x, not absent$/,
  },
  { id: 'mongodb mgopone-1054', operator: partCrash, ...given({ tls: object({ ca: object({ name: TEXT }, 'name') }) }, {}), found: PANIC },
  {
    id: 'mongodb mgopone-1245',
    operator: failedForEver,
    ...given({ podTemplate: ANYTHING }, {}),
    found: /^wrong, no fault: Database default\/d: \.status\.phase is Failed, not Running$/,
  },
  {
    id: 'cockroach crdbop-918',
    operator: refusedForEver,
    ...given({ minAvailable: { ...INTEGER, minimum: 0 }, maxUnavailable: { ...INTEGER, minimum: 0 } }, { minAvailable: 1 }),
    found: /^stuck, no fault: patch poddisruptionbudgets default\/d → 422: .*/,
  },
]
