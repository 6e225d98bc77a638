import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Pod, PodStatus, Service } from '../../resources/types/core.ts'
import type { EndpointSlice } from '../../resources/types/discovery.ts'
import { sketch } from '../frame/sketch.double.ts'
import { findPort } from '../services/find-port.ts'
import { onKnownNodes, planSlices } from './plan.ts'

const service = (spec: object = {}): Service =>
  sketch({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 's', namespace: 'n' },
    spec: { ports: [{ name: 'http', port: 80, targetPort: 8080 }], ...spec },
  })
const pod = (name: string, more: { ready?: boolean; ends?: boolean; node?: string; ports?: object[] } = {}): Pod =>
  sketch({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'n', uid: name, ...(more.ends && { deletionTimestamp: '2026-01-01T00:00:00Z' }) },
    spec: { nodeName: more.node ?? 'a', containers: [{ name: 'c', ports: more.ports ?? [] }] },
    status: {
      phase: 'Running',
      podIPs: [{ ip: `10.0.0.${name.length}` }],
      conditions: [{ type: 'Ready', status: more.ready === false ? 'False' : 'True' }],
    },
  })
const plan = (of: Service, pods: readonly Pod[], existing: readonly EndpointSlice[] = []) =>
  planSlices({ service: of, pods, addressType: 'IPv4', existing, zoneOf: (node) => (node === '' ? undefined : `z-${node}`) })
const conditions = (of: Service, one: Pod) => {
  const { ready, serving, terminating } = plan(of, [one]).create[0]?.endpoints[0]?.conditions ?? {}
  return [ready, serving, terminating].map((x) => (x ? 'y' : 'n')).join('')
}

test('an endpoint is ready while its pod is, and serving also while it ends', () => {
  assert.equal(conditions(service(), pod('a')), 'yyn')
  assert.equal(conditions(service(), pod('a', { ready: false })), 'nnn')
  assert.equal(conditions(service(), pod('a', { ends: true })), 'nyy')
  assert.equal(conditions(service({ publishNotReadyAddresses: true }), pod('a', { ready: false })), 'ynn')
})

test('a pod on an unknown node is left out and reported, unless the service publishes unready addresses', () => {
  const without = (name: string, more: PodStatus) => ({ ...pod(name, { node: 'lost' }), status: more })
  const pods = [pod('a'), pod('bb', { node: 'lost' }), pod('free', { node: '' }), without('new', {}), without('done', { phase: 'Failed' })]
  const found = (of: Service) => {
    const { kept, faults } = onKnownNodes(of, pods, (name) => name === 'a')
    return [kept.map((p) => p.metadata.name), faults]
  }
  assert.deepEqual(found(service()), [['a', 'free'], ['skipping Pod bb for Service n/s: Node lost Not Found']])
  assert.deepEqual(found(service({ publishNotReadyAddresses: true })), [['a', 'bb', 'free', 'new', 'done'], []])
})

test('traffic that is to stay near has hints, for ready endpoints', () => {
  const hints = (trafficDistribution: string | undefined, one = pod('a')) =>
    plan(service(trafficDistribution === undefined ? {} : { trafficDistribution }), [one]).create[0]?.endpoints[0]?.hints
  assert.equal(hints(undefined), undefined)
  for (const near of ['PreferClose', 'PreferSameZone']) assert.deepEqual(hints(near), { forZones: [{ name: 'z-a' }] })
  assert.deepEqual(hints('PreferSameNode'), { forZones: [{ name: 'z-a' }], forNodes: [{ name: 'a' }] })
  assert.equal(hints('PreferSameZone', pod('a', { ready: false })), undefined)
  assert.equal(hints('PreferSameZone', pod('a', { node: '' })), undefined)
})

test('a hundred endpoints fill a slice; existing slices are used again', () => {
  const pods = Array.from({ length: 101 }, (_, i) => pod(`p${i}`))
  const { create } = plan(service(), pods)
  assert.deepEqual(
    create.map((c) => c.endpoints.length),
    [100, 1],
  )
  const existing: EndpointSlice = sketch({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: 's-1', labels: { ...create[1]?.labels } },
    ports: create[1]?.ports,
    endpoints: create[1]?.endpoints,
  })
  const again = plan(service(), pods.slice(100), [existing])
  assert.deepEqual([again.create, again.update, again.remove], [[], [], []])
  assert.equal(plan(service(), [pod('other')], [existing]).update.length, 1)
  assert.deepEqual(plan(service(), [], [existing]).update[0]?.content.endpoints, [])
})

test('a port by name is that of a container', () => {
  const named = pod('a', {
    ports: [
      { name: 'web', containerPort: 9090 },
      { name: 'dns', containerPort: 53, protocol: 'UDP' },
    ],
  })
  for (const [port, expected] of [
    [{ port: 80 }, 80],
    [{ port: 80, targetPort: 8080 }, 8080],
    [{ port: 80, targetPort: 'web' }, 9090],
    [{ port: 53, targetPort: 'dns', protocol: 'UDP' }, 53],
    [{ port: 53, targetPort: 'dns' }, undefined],
    [{ port: 80, targetPort: 'nothing' }, undefined],
  ] as const)
    assert.equal(findPort(named, port), expected)
})
