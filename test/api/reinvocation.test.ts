/** What a policy or a webhook adds to a pod is seen by the admission plugins before it, and by webhooks that may be reinvoked. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { openCertificates } from '../../src/cluster/certificates.ts'
import * as refs from '../../src/resources/refs.ts'
import type { Pod } from '../../src/resources/types/core.ts'
import type { Client } from '../../src/sdk/client/client.ts'
import { createWebhookServer } from '../../src/sdk/sdk.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'

const PODS = { ...refs.PODS, namespace: 'default' }
const api = <Kind extends string>(kind: Kind, name: string) =>
  ({ apiVersion: 'admissionregistration.k8s.io/v1', kind, metadata: { name } }) as const
const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'] as const, resources: ['pods'] }
const pod: Pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { containers: [{ name: 'main', image: 'app' }] } }

/** A namespace whose containers get limits and a token. */
async function prepare(client: Client): Promise<void> {
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } } as const
  await client.create({ ...refs.SERVICE_ACCOUNTS, namespace: 'default' }, account)
  const limits = [{ type: 'Container', default: { cpu: '1' } }]
  const range = { apiVersion: 'v1', kind: 'LimitRange', metadata: { name: 'limits' }, spec: { limits } } as const
  await client.create({ ...refs.LIMIT_RANGES, namespace: 'default' }, range)
}

/** What each container got from the plugins. */
const containersOf = ({ spec }: Pod) =>
  (spec?.containers ?? []).map(({ name, resources, volumeMounts = [] }) => [name, resources?.limits?.cpu, volumeMounts.length])

const WHOLE = [
  ['main', '1', 1],
  ['side', '1', 1],
]

test('a container that a policy adds gets limits and a token', async () => {
  await using cluster = await startCluster({ parts: ['server'] })
  const client = cluster.client()
  await prepare(client)
  const expression = '[JSONPatch{op: "add", path: "/spec/containers/-", value: Object.spec.containers.item{name: "side", image: "proxy"}}]'
  await client.create(refs.MUTATING_ADMISSION_POLICIES, {
    ...api('MutatingAdmissionPolicy', 'side'),
    spec: {
      matchConstraints: { resourceRules: [rule] },
      failurePolicy: 'Fail',
      reinvocationPolicy: 'Never',
      mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression } }],
    },
  })
  const binding = { ...api('MutatingAdmissionPolicyBinding', 'side'), spec: { policyName: 'side' } }
  await client.create(refs.MUTATING_ADMISSION_POLICY_BINDINGS, binding)
  assert.deepEqual(containersOf(await client.create(PODS, pod)), WHOLE)
})

test('a container that a webhook adds gets limits and a token, and a webhook that may be reinvoked sees it', async () => {
  await using cluster = await startCluster({ parts: ['server'] })
  const client = cluster.client()
  await prepare(client)
  const certificates = await openCertificates({ folder: undefined, serviceCidr: '10.0.0.0/24' }, { clock: systemClock })
  const tls = { cert: certificates.serving.certificate, key: certificates.serving.key }
  const seen: number[] = []
  await using counting = createWebhookServer({
    tls,
    mutate({ object }) {
      seen.push((object as Pod | null)?.spec?.containers.length ?? 0)
      return undefined
    },
  })
  await using adding = createWebhookServer({
    tls,
    mutate({ object }) {
      const containers = [...((object as Pod | null)?.spec?.containers ?? []), { name: 'side', image: 'proxy' }]
      return object ? { ...object, spec: { ...(object as Pod).spec, containers } } : undefined
    },
  })
  const [first, second] = [await counting.listen(0), await adding.listen(0)]
  const hook = (name: string, url: string) => ({
    name,
    admissionReviewVersions: ['v1'],
    sideEffects: 'None' as const,
    clientConfig: { url: `${url}/mutate`, caBundle: Buffer.from(certificates.ca.certificate).toString('base64') },
    rules: [rule],
  })
  await client.create(refs.MUTATING_WEBHOOK_CONFIGURATIONS, {
    ...api('MutatingWebhookConfiguration', 'side'),
    webhooks: [{ ...hook('a.example.com', first), reinvocationPolicy: 'IfNeeded' as const }, hook('b.example.com', second)],
  })
  assert.deepEqual(containersOf(await client.create(PODS, pod)), WHOLE)
  assert.deepEqual(seen, [1, 2])
})
