import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rulesetOfWayOut } from './ruleset-of-way-out.ts'

test('pods keep their addresses inside of the cluster, in each family', () => {
  const { tables } = rulesetOfWayOut(['10.244.1.0/24', 'fd00:244:0:1::/64'], ['10.244.0.0/16', 'fd00:244::/56'])
  assert.deepEqual(tables.get('inet bowsprit-way-out')?.chains.get('post')?.rules, [
    'ip saddr 10.244.1.0/24 ip daddr != { 10.244.0.0/16 } masquerade',
    'ip6 saddr fd00:244:0:1::/64 ip6 daddr != { fd00:244::/56 } masquerade',
  ])
})
