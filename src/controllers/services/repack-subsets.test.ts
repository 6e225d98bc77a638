import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EndpointPort } from '../../resources/types/core.ts'
import { repackSubsets } from './repack-subsets.ts'

const port = (name: string, number: number, protocol: EndpointPort['protocol'] = 'TCP', appProtocol?: string): EndpointPort => ({
  name,
  port: number,
  protocol,
  ...(appProtocol && { appProtocol }),
})
const offer = (ip: string, ports: readonly EndpointPort[], ready = true) => ({
  address: { ip, targetRef: { kind: 'Pod', uid: `uid-${ip}` } },
  ready,
  ports,
})
const brief = (offered: Parameters<typeof repackSubsets>[0]) =>
  repackSubsets(offered)
    .map(
      (s) =>
        [s.addresses, s.notReadyAddresses].map((l) => l?.map((a) => a.ip).join() ?? '').join('|') +
        ' ' +
        (s.ports ?? []).map((p) => p.name),
    )
    .toSorted()

// What kube-controller-manager 1.36.3 wrote.
test('ports of a subset are in the order of their hashes', () => {
  const ports = [
    port('p0', 1005, 'UDP'),
    port('p1', 1006, 'TCP', 'http'),
    port('p2', 1007, 'UDP'),
    port('p3', 1008),
    port('p4', 1009, 'UDP', 'http'),
  ]
  const [subset] = repackSubsets([offer('10.9.200.1', ports)])
  assert.deepEqual(
    subset?.ports?.map((p) => p.name),
    ['p3', 'p4', 'p2', 'p1', 'p0'],
  )
})

test('ports that the same addresses offer share a subset, and an address is in several', () => {
  const [both, own] = [port('both', 3, 'SCTP'), port('own', 7000, 'UDP')]
  assert.deepEqual(brief([offer('10.0.0.2', [own, both]), offer('10.0.0.1', [both])]), ['10.0.0.1,10.0.0.2| both', '10.0.0.2| own'])
})

test('a port with ready and other addresses is in one subset', () => {
  const http = port('http', 80)
  assert.deepEqual(brief([offer('10.0.0.2', [http]), offer('10.0.0.1', [http], false)]), ['10.0.0.2|10.0.0.1 http'])
})

test('addresses without ports have a subset without ports', () => {
  assert.deepEqual(brief([offer('10.0.0.1', [])]), ['10.0.0.1| '])
})
