import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '../../machinery/object.ts'
import { rulesContext } from '../../machinery/resource/rules-context.double.ts'
import { builtinResources } from '../builtin.ts'
import { definitionOf, ruleTables } from '../rule-table.contract.ts'
import { withGatedFields } from './gated-fields.ts'
import type { PodSpec } from './types.ts'

const CONTAINERS = 'containers: [{name: main, image: app}]'
const LASTING = `selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {${CONTAINERS}}}`
const ONCE = `template: {spec: {restartPolicy: Never, ${CONTAINERS}}}`

/** Kinds with the spec of a pod: an object, and the path of the spec. */
const KINDS: readonly (readonly [plural: string, object: string, path: string])[] = [
  ['pods', `{metadata: {name: x}, spec: {${CONTAINERS}}}`, 'spec'],
  ['podtemplates', `{metadata: {name: x}, template: {metadata: {labels: {a: b}}, spec: {${CONTAINERS}}}}`, 'template.spec'],
  ['replicationcontrollers', `{metadata: {name: x}, spec: {${LASTING.replace('matchLabels: {a: b}', 'a: b')}}}`, 'spec.template.spec'],
  ['deployments', `{metadata: {name: x}, spec: {${LASTING}}}`, 'spec.template.spec'],
  ['replicasets', `{metadata: {name: x}, spec: {${LASTING}}}`, 'spec.template.spec'],
  ['statefulsets', `{metadata: {name: x}, spec: {serviceName: x, ${LASTING}}}`, 'spec.template.spec'],
  ['daemonsets', `{metadata: {name: x}, spec: {${LASTING}}}`, 'spec.template.spec'],
  ['jobs', `{metadata: {name: x, uid: u}, spec: {${ONCE}}}`, 'spec.template.spec'],
  [
    'cronjobs',
    `{metadata: {name: x}, spec: {schedule: "* * * * *", jobTemplate: {spec: {${ONCE}}}}}`,
    'spec.jobTemplate.spec.template.spec',
  ],
]
const EMPTY = 'warning: volume "v" (Projected) has no sources provided'
const VOLUME = 'volumes = [{name: v, projected: {defaultMode: 420, sources: [{'

for (const [plural, object, path] of KINDS)
  ruleTables(definitionOf(builtinResources(), plural), {
    object,
    create: [
      [`${path}.schedulingGroup = {podGroupName: g}`, `-${path}.schedulingGroup`],
      [`${path}.containers[0].lifecycle = {stopSignal: SIGTERM}`, `-${path}.containers[0].lifecycle`],
      [
        `${path}.containers[0].lifecycle = {stopSignal: SIGTERM, preStop: {sleep: {seconds: 1}}}`,
        `-${path}.containers[0].lifecycle.stopSignal`,
      ],
      [
        `${path}.${VOLUME}clusterTrustBundle: {name: a, path: p}}]}}]`,
        EMPTY,
        `-${path}.volumes[0].projected.sources[0].clusterTrustBundle`,
      ],
      [
        `${path}.${VOLUME}podCertificate: {signerName: example.com/s, keyType: ED25519, credentialBundlePath: p}}]}}]`,
        EMPTY,
        `-${path}.volumes[0].projected.sources[0].podCertificate`,
      ],
    ],
  })

const STOPS = 'spec.template.spec.containers[0].lifecycle = {stopSignal: SIGTERM}'
const deployments = definitionOf(builtinResources(), 'deployments')
const deployment = `{metadata: {name: x}, spec: {${LASTING}}}`

ruleTables(deployments, {
  object: deployment,
  update: [[STOPS]],
})
// With the gate, objects have the field, and keep it.
ruleTables(deployments, { object: deployment, gates: ['ContainerStopSignals'], create: [[STOPS]] })

test('an object that uses a gated field already keeps it, and may change it', () => {
  const spec = (stopSignal: string) => ({ containers: [{ name: 'main', lifecycle: { stopSignal } }] })
  const rules = withGatedFields<KubeObject<PodSpec>>({}, (object) => object.spec)
  const object = (stopSignal: string) => ({ apiVersion: 'v1', kind: 'Pod', metadata: {}, spec: spec(stopSignal) })
  const draft = object('SIGINT')
  rules.prepareForUpdate?.(draft, object('SIGTERM'), rulesContext())
  assert.deepEqual(draft, object('SIGINT'))
})
