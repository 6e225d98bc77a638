import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AdmissionRequest } from '../../apiserver/admission/plugin.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { Quantity } from '../../machinery/quantity.ts'
import type { Reader } from '../../machinery/resource/definition.ts'
import { isStatus } from '../../machinery/status-error.ts'
import type { ResourceQuota } from '../../resources/types/core.ts'
import type { AdmissionDeps } from './admission-deps.ts'
import { readPodSecurity } from './pod-security/configuration.ts'
import { podSecurity } from './pod-security/pod-security.ts'
import { readPolicy } from './pod-security/policy.ts'
import { limitedNames, uncoveredScopes } from './quota/limited-resources.ts'

const pod = (spec: object): KubeObject => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec })
const ns = (name: string, labels: Record<string, string> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels },
})

const config = readPodSecurity(
  JSON.stringify({
    apiVersion: 'pod-security.admission.config.k8s.io/v1',
    kind: 'PodSecurityConfiguration',
    defaults: { enforce: 'baseline', warn: 'restricted' },
    exemptions: { namespaces: ['free'], usernames: ['root'], runtimeClasses: ['vm'] },
  }),
)

/** The outcome for a pod with the host's network: `refused`, or annotations and warnings. */
function secure(
  namespace: string,
  { user = 'u', spec = {}, old, labels = {} }: { user?: string; spec?: object; old?: object; labels?: Record<string, string> } = {},
) {
  const reported: string[] = []
  const reader: Reader = { get: () => ns(namespace, labels), list: () => [] }
  const plugin = podSecurity(config, { reader } as AdmissionDeps)
  const request: AdmissionRequest = {
    operation: old === undefined ? 'CREATE' : 'UPDATE',
    resource: { group: '', version: 'v1', resource: 'pods' },
    kind: { group: '', version: 'v1', kind: 'Pod' },
    subresource: '',
    namespace,
    name: 'p',
    user: { name: user, groups: [] },
    dryRun: false,
    object: pod({ containers: [{ name: 'c', image: 'i' }], hostNetwork: true, ...spec }),
    oldObject: old && pod(old),
    options: pod({}),
    warn: () => reported.push('warned'),
    requireReinvocation: () => {},
    annotate: (key, value) => reported.push(`${key.replace(/^.*\//, '')}=${value}`),
  }
  try {
    plugin.validate?.(request)
  } catch (error) {
    if (!isStatus(error)) throw error
    reported.push('refused')
  }
  return reported
}

const label = (mode: string) => `pod-security.kubernetes.io/${mode}`
const FREE = Object.fromEntries(['enforce', 'audit', 'warn'].map((mode) => [label(mode), 'privileged']))
const PRIVILEGED = 'enforce-policy=privileged:latest'
const REFUSED = ['enforce-policy=baseline:latest', 'refused']
const ONE = { containers: [{ name: 'c', image: 'i' }] }

const table: readonly (readonly [rule: string, reported: readonly string[], wanted: readonly string[]])[] = [
  ['the default holds for namespaces that say nothing', secure('a'), ['enforce-policy=baseline:latest', 'refused']],
  [
    'labels come first',
    secure('a', { labels: { 'pod-security.kubernetes.io/enforce': 'privileged' } }),
    ['enforce-policy=privileged:latest', 'warned'],
  ],
  ['nothing is checked in a namespace that is privileged in all modes', secure('a', { labels: FREE }), [PRIVILEGED]],
  ['an update of such a namespace has its annotation too', secure('a', { labels: FREE, old: ONE }), [PRIVILEGED]],
  ['its version does not matter', secure('a', { labels: { ...FREE, [`${label('enforce')}-version`]: 'v1.20' } }), [PRIVILEGED]],
  ['an update that changes no image', secure('a', { old: ONE }), []],
  ['an update that changes a name', secure('a', { old: { containers: [{ name: 'z', image: 'i' }] } }), []],
  ['an update that changes an image', secure('a', { old: { containers: [{ name: 'c', image: 'z' }] } }), REFUSED],
  ['an update that removes a container', secure('a', { old: { ...ONE, initContainers: ONE.containers } }), REFUSED],
  ['an update of an exempt user that changes no image', secure('a', { user: 'root', old: ONE }), ['exempt=user']],
  ['an exempt namespace', secure('free'), ['exempt=namespace']],
  ['an exempt user', secure('a', { user: 'root' }), ['exempt=user']],
  ['an exempt runtime class', secure('a', { spec: { runtimeClassName: 'vm' } }), ['exempt=runtimeClass']],
]

for (const [rule, reported, wanted] of table) test(`PodSecurity configured by a file: ${rule}`, () => assert.deepEqual(reported, wanted))

test('warn follows enforce if that is stricter and warn is not set', () => {
  const warn = (labels: Record<string, string>) => readPolicy(labels).policy.warn
  const enforced = { [label('enforce')]: 'baseline', [label('enforce-version')]: 'v1.30' }
  assert.deepEqual(warn(enforced), { level: 'baseline', version: 30 })
  assert.deepEqual(warn({ ...enforced, [label('warn-version')]: 'latest' }), { level: 'baseline', version: 'latest' })
  assert.deepEqual(warn({ ...enforced, [label('warn')]: 'privileged' }).level, 'privileged')
  assert.deepEqual(warn({ [label('enforce')]: 'mistyped' }).level, 'privileged')
})

test('a mistyped level is the strictest for enforce, and privileged for warn and audit', () => {
  const { policy, faults } = readPolicy({ [label('enforce')]: 'x', [label('audit')]: 'x', [label('warn')]: 'x' })
  assert.deepEqual(
    [policy.enforce.level, policy.audit.level, policy.warn.level, faults.length],
    ['restricted', 'privileged', 'privileged', 3],
  )
})

const resource = { group: '', version: 'v1', resource: 'pods' }

test('limited names are those of the resource that contain a part, and are used', () => {
  const usage = new Map([
    ['requests.cpu', Quantity.of(1)],
    ['pods', Quantity.of(1)],
    ['requests.memory', Quantity.zero],
  ])
  const limited = [
    { resource: 'pods', matchContains: ['requests.'] },
    { resource: 'services', matchContains: ['pods'] },
  ]
  assert.deepEqual(limitedNames(limited, resource, usage), ['requests.cpu'])
})

test('a limited scope must be covered by a quota of that scope', () => {
  const limited = [
    {
      resource: 'pods',
      matchScopes: [{ scopeName: 'BestEffort' }, { scopeName: 'PriorityClass', operator: 'In', values: ['high', 'top'] }],
    },
  ]
  const high = pod({ priorityClassName: 'high', containers: [{ resources: { requests: { cpu: '1' } } }] })
  const covering: ResourceQuota = {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'q', namespace: 'ns' },
    spec: { scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'Exists' }] } },
  }
  assert.equal(uncoveredScopes(limited, [], 'pods', high), '[{PriorityClass In [high top]}]')
  assert.equal(uncoveredScopes(limited, [covering], 'pods', high), '')
  assert.equal(uncoveredScopes(limited, [covering], 'pods', pod({ containers: [{}] })), '[{BestEffort  []}]')
})
