import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Node, Pod } from '../../resources/types/core.ts'
import { type ClusterEvent, eventLabel } from './cluster-event.ts'

const node = (more: Partial<Node> = {}): Node => ({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' }, ...more })
const pod = (labels: Record<string, string>, spec: object = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', labels },
  spec: { containers: [], ...spec },
})
const slice = { apiVersion: 'resource.k8s.io/v1', kind: 'ResourceSlice', metadata: { name: 's' } }
const claim = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'c' } }

/** The labels are those that kube-scheduler 1.36.3 showed for such changes. */
const TABLE: readonly (readonly [ClusterEvent, string])[] = [
  [{ kind: 'node-added', node: node() }, 'NodeAdd'],
  [{ kind: 'node-updated', node: node({ status: { allocatable: { cpu: '2' } } }), oldNode: node() }, 'NodeUpdateNodeAllocatable'],
  [{ kind: 'node-updated', node: node({ metadata: { labels: { a: 'b' } } }), oldNode: node() }, 'NodeUpdateNodeLabel'],
  [{ kind: 'node-updated', node: node({ spec: { unschedulable: true } }), oldNode: node() }, 'NodeUpdateNodeTaint'],
  [{ kind: 'node-updated', node: node({ metadata: { annotations: { a: 'b' } } }), oldNode: node() }, 'NodeUpdateNodeAnnotation'],
  [{ kind: 'assigned-pod-updated', pod: pod({ a: 'b' }), oldPod: pod({}) }, 'AssignedPodUpdatePodLabel'],
  [
    { kind: 'pod-updated', pod: pod({}), oldPod: pod({}, { schedulingGates: [{ name: 'g' }] }) },
    'UnschedulablePodUpdatePodSchedulingGatesEliminated',
  ],
  [{ kind: 'object-changed', resource: 'persistentvolumeclaims', object: claim }, 'PersistentVolumeClaimAdd'],
  [{ kind: 'object-changed', resource: 'resourceslices', object: slice, oldObject: slice }, 'resource.k8s.io/ResourceSliceUpdate'],
]

for (const [event, label] of TABLE) test(`the metrics name an event ${label}`, () => assert.equal(eventLabel(event), label))
