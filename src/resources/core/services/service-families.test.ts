import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faultText } from '../../../machinery/field-error.ts'
import { asJson, cloneJson } from '../../../machinery/object.ts'
import { completeFamilies, familyOf, type IpFamily, keepsDualStack } from './service-families.ts'
import type { ServiceSpec } from './service-fields.ts'

const V4: readonly IpFamily[] = ['IPv4']
const V6: readonly IpFamily[] = ['IPv6']
const BOTH: readonly IpFamily[] = ['IPv4', 'IPv6']
const POLICY = 'spec.ipFamilyPolicy: Invalid value:'
const NOT_DUAL = `${POLICY} "RequireDualStack": this cluster is not configured for dual-stack services`
const single = (what: string) =>
  `${POLICY} "SingleStack": must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`

const app = { selector: { app: 'web' }, type: 'ClusterIP' }
const headless = { ...app, clusterIP: 'None', clusterIPs: ['None'] }
const selectorless = { type: 'ClusterIP', clusterIP: 'None', clusterIPs: ['None'] }
const outcome = (spec: ServiceSpec, old: ServiceSpec | undefined, configured: readonly IpFamily[]) => {
  const draft = cloneJson(asJson(spec)) as ServiceSpec
  const faults = completeFamilies(draft, old, configured).map(faultText)
  return faults.length > 0 ? faults : [draft.ipFamilyPolicy ?? '', ...(draft.ipFamilies ?? [])]
}

/** A new service, the cluster's families, and the service's policy and families (or the faults). */
const CREATED: readonly (readonly [rule: string, spec: ServiceSpec, configured: readonly IpFamily[], outcome: readonly string[]])[] = [
  ['one family, the default of the cluster', app, V4, ['SingleStack', 'IPv4']],
  ['the first of two is the default', app, ['IPv6', 'IPv4'], ['SingleStack', 'IPv6']],
  ['a preference takes what there is', { ...app, ipFamilyPolicy: 'PreferDualStack' }, V4, ['PreferDualStack', 'IPv4']],
  ['a preference takes two where there are two', { ...app, ipFamilyPolicy: 'PreferDualStack' }, BOTH, ['PreferDualStack', 'IPv4', 'IPv6']],
  [
    'the second family is the other',
    { ...app, ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv6'] },
    BOTH,
    ['RequireDualStack', 'IPv6', 'IPv4'],
  ],
  ['two are required and not there', { ...app, ipFamilyPolicy: 'RequireDualStack' }, V4, [NOT_DUAL]],
  [
    'a family that is not there',
    { ...app, ipFamilies: ['IPv6'] },
    V4,
    ['spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster'],
  ],
  ['one family of two', { ...app, ipFamilies: ['IPv6'] }, BOTH, ['SingleStack', 'IPv6']],
  ['the address names the family', { ...app, clusterIP: 'fd00::1', clusterIPs: ['fd00::1'] }, BOTH, ['SingleStack', 'IPv6']],
  ['two addresses need a policy', { ...app, clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1', 'fd00::1'] }, BOTH, [single('cluster IPs')]],
  ['two families need a policy', { ...app, ipFamilyPolicy: 'SingleStack', ipFamilies: ['IPv4', 'IPv6'] }, BOTH, [single('IP families')]],
  [
    'two addresses name two families',
    { ...app, ipFamilyPolicy: 'PreferDualStack', clusterIP: 'fd00::1', clusterIPs: ['fd00::1', '10.0.0.1'] },
    BOTH,
    ['PreferDualStack', 'IPv6', 'IPv4'],
  ],
  [
    'an address of a family that the cluster lacks',
    { ...app, clusterIP: 'fd00::1', clusterIPs: ['fd00::1'] },
    V4,
    ['spec.clusterIPs[0]: Invalid value: ["fd00::1"]: IPv6 is not configured on this cluster'],
  ],
  ['a headless service', headless, V4, ['SingleStack', 'IPv4']],
  ['a headless service of two families', { ...headless, ipFamilyPolicy: 'RequireDualStack' }, BOTH, ['RequireDualStack', 'IPv4', 'IPv6']],
  ['without a selector, both families, whatever the cluster has', selectorless, V4, ['RequireDualStack', 'IPv4', 'IPv6']],
  ['without a selector, of the cluster that has IPv6', selectorless, V6, ['RequireDualStack', 'IPv6', 'IPv4']],
  ['without a selector, one where one is asked for', { ...selectorless, ipFamilyPolicy: 'SingleStack' }, V4, ['SingleStack', 'IPv4']],
  ['without a selector, the family that is asked for', { ...selectorless, ipFamilies: ['IPv6'] }, V4, ['RequireDualStack', 'IPv6', 'IPv4']],
  ['an external name has none', { type: 'ExternalName', externalName: 'a.b' }, BOTH, ['']],
  [
    'faults of the addresses come first',
    { ...app, clusterIP: '1.2.3', clusterIPs: ['1.2.3'] },
    V4,
    ['spec.clusterIPs[0]: Invalid value: "1.2.3": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'],
  ],
]
for (const [rule, spec, configured, expected] of CREATED)
  test(`families of a new service: ${rule}`, () => assert.deepEqual(outcome(spec, undefined, configured), expected))

const dual: ServiceSpec = {
  ...app,
  ipFamilyPolicy: 'RequireDualStack',
  ipFamilies: ['IPv4', 'IPv6'],
  clusterIP: '10.0.0.1',
  clusterIPs: ['10.0.0.1', 'fd00::1'],
}
const release = (policy: string, what: string) => `${POLICY} "${policy}": must be 'SingleStack' to release the secondary ${what}`

/** A change of a dual-stack service. */
const CHANGED: readonly (readonly [rule: string, change: ServiceSpec, outcome: readonly string[]])[] = [
  ['nothing', {}, ['RequireDualStack', 'IPv4', 'IPv6']],
  ['SingleStack alone releases the second family', { ipFamilyPolicy: 'SingleStack' }, ['SingleStack', 'IPv4']],
  ['the second address goes with the policy only', { clusterIPs: ['10.0.0.1'] }, [release('RequireDualStack', 'cluster IP')]],
  [
    'the second family goes with the policy only',
    { ipFamilyPolicy: 'PreferDualStack', clusterIPs: ['10.0.0.1'], ipFamilies: ['IPv4'] },
    [release('PreferDualStack', 'cluster IP'), release('PreferDualStack', 'IP family')],
  ],
  ['all three at once', { ipFamilyPolicy: 'SingleStack', clusterIPs: ['10.0.0.1'], ipFamilies: ['IPv4'] }, ['SingleStack', 'IPv4']],
]
for (const [rule, change, expected] of CHANGED)
  test(`families of a changed service: ${rule}`, () => assert.deepEqual(outcome({ ...dual, ...change }, dual, BOTH), expected))

test('a service that goes back to one family keeps its first address', () => {
  const draft: ServiceSpec = { ...dual, ipFamilyPolicy: 'SingleStack' }
  assert.deepEqual(completeFamilies(draft, dual, BOTH), [])
  assert.deepEqual([draft.clusterIPs, draft.ipFamilies], [['10.0.0.1'], ['IPv4']])
})

const { ipFamilyPolicy: _, ...undecided } = dual
test('an update that does not name a policy has the old one', () =>
  assert.deepEqual(outcome(undecided, dual, BOTH), ['RequireDualStack', 'IPv4', 'IPv6']))

const preferring: ServiceSpec = { ...dual, ipFamilyPolicy: 'PreferDualStack' }
const KEPT: readonly (readonly [rule: string, spec: ServiceSpec, old: ServiceSpec | undefined, isKept: boolean])[] = [
  ['nothing changed', preferring, preferring, true],
  ['a new service', preferring, undefined, false],
  ['another type', { ...preferring, type: 'NodePort' }, preferring, false],
  ['an external name', { ...preferring, type: 'ExternalName' }, { ...preferring, type: 'ExternalName' }, false],
  ['both are load balancers', { ...preferring, type: 'LoadBalancer' }, { ...preferring, type: 'LoadBalancer' }, true],
  ['dual stack is required', dual, dual, false],
  ['it was required before', preferring, dual, false],
  ['it was undecided before', preferring, undecided, true],
  ['other addresses', { ...preferring, clusterIPs: ['10.0.0.2', 'fd00::1'] }, preferring, false],
  ['other families', { ...preferring, ipFamilies: ['IPv4'] }, preferring, false],
]
for (const [rule, spec, old, isKept] of KEPT)
  test(`a preference of both families is left as it is: ${rule}`, () => assert.equal(keepsDualStack(spec, old), isKept))

test('a preference that is kept is not completed', () =>
  assert.deepEqual(
    outcome(
      { ...preferring, clusterIPs: ['10.0.0.1'], ipFamilies: ['IPv4'] },
      { ...preferring, clusterIPs: ['10.0.0.1'], ipFamilies: ['IPv4'] },
      BOTH,
    ),
    ['PreferDualStack', 'IPv4'],
  ))

for (const [ip, family] of [
  ['10.0.0.1', 'IPv4'],
  ['fd00::1', 'IPv6'],
  ['::ffff:10.0.0.1', 'IPv4'],
  ['', 'IPv4'],
  ['x', 'IPv4'],
])
  test(`the family of "${ip}" is ${family}`, () => assert.equal(familyOf(ip ?? ''), family))
