import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { IPAddress, ServiceCIDR } from '../../resources/types/networking.ts'
import { sketch } from '../frame/sketch.double.ts'
import { CIDR_FINALIZER, planServiceCidr } from './plan.ts'

const NOW = Date.parse('2026-01-01T00:00:20Z')
const range = (cidr: string, facts: { held?: boolean; ending?: string; ready?: string; by?: string } = {}): ServiceCIDR =>
  sketch({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'ServiceCIDR',
    metadata: {
      name: cidr,
      uid: cidr,
      ...(facts.held !== false && { finalizers: [CIDR_FINALIZER] }),
      ...(facts.ending && { deletionTimestamp: facts.ending }),
    },
    spec: { cidrs: [cidr] },
    status:
      facts.ready === undefined
        ? {}
        : {
            conditions: [
              facts.ready === 'True'
                ? { type: 'Ready', status: 'True', reason: '', message: facts.by ?? 'Kubernetes Service CIDR is ready' }
                : { type: 'Ready', status: 'False', reason: 'Terminating', message: IN_USE },
            ],
          },
  })
const address = (name: string): IPAddress => sketch({ apiVersion: 'networking.k8s.io/v1', kind: 'IPAddress', metadata: { name } })
const IN_USE = 'There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR'
const LONG_AGO = '2026-01-01T00:00:00Z'

test('a range is made ready, and held while its addresses are in use', () => {
  const inside = address('10.77.0.3')
  for (const [what, object, others, addresses, expected] of [
    ['new', range('10.77.0.0/28', { held: false }), [], [], 'set-finalizers 1'],
    ['held', range('10.77.0.0/28'), [], [], 'report True'],
    ['told', range('10.77.0.0/28', { ready: 'True' }), [], [inside], 'nothing'],
    ['told by another', range('10.77.0.0/28', { ready: 'True', by: 'me' }), [], [], 'report True'],
    ['refused by another', range('10.77.0.0/28', { ready: 'False' }), [], [], 'report True'],
    ['deleted just now', range('10.77.0.0/28', { ending: '2026-01-01T00:00:15Z' }), [], [], 'wait 5000'],
    ['deleted a while ago', range('10.77.0.0/28', { ending: LONG_AGO }), [], [address('10.78.0.1')], 'set-finalizers 0'],
    ['in use', range('10.77.0.0/28', { ending: LONG_AGO, ready: 'True' }), [], [inside], 'report False'],
    ['in use, and told so', range('10.77.0.0/28', { ending: LONG_AGO, ready: 'False' }), [], [inside], 'nothing'],
    [
      'another range has the address too',
      range('10.77.0.0/28', { ending: LONG_AGO }),
      [range('10.77.0.0/24')],
      [inside],
      'set-finalizers 0',
    ],
    [
      '… but is on its way out',
      range('10.77.0.0/28', { ending: LONG_AGO }),
      [range('10.77.0.0/24', { ending: LONG_AGO })],
      [inside],
      'report False',
    ],
    ['IPv6', range('fd00::/112', { ending: LONG_AGO }), [], [address('fd00::1')], 'report False'],
    ['let go of already', range('10.77.0.0/28', { held: false, ending: LONG_AGO }), [], [], 'nothing'],
  ] as const) {
    const plan = planServiceCidr(object, others, addresses, NOW)
    const more =
      plan.step === 'wait'
        ? ` ${plan.ms}`
        : plan.step === 'report'
          ? ` ${plan.condition.status}`
          : plan.step === 'set-finalizers'
            ? ` ${plan.finalizers.length}`
            : ''
    assert.equal(`${plan.step}${more}`, expected, what)
  }
})
