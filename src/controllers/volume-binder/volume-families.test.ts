import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exposition } from '../../base/exposition.ts'
import type { PersistentVolume, PersistentVolumeClaim } from '../../resources/types/core.ts'
import { sketch } from '../frame/sketch.double.ts'
import { volumeFamilies } from './volume-families.ts'

test('volumes and claims are counted by class and namespace, bound ones apart', () => {
  const volumes: PersistentVolume[] = [
    sketch({ metadata: { name: 'a' }, spec: { hostPath: { path: '/a' }, storageClassName: '' }, status: { phase: 'Bound' } }),
    sketch({ metadata: { name: 'b' }, spec: { csi: { driver: 'x.y' }, storageClassName: 'fast' }, status: { phase: 'Available' } }),
  ]
  const claims: PersistentVolumeClaim[] = [
    sketch({ metadata: { name: 'c', namespace: 'n' }, spec: { storageClassName: '' }, status: { phase: 'Bound' } }),
    sketch({ metadata: { name: 'd', namespace: 'n' }, spec: { storageClassName: 'none' }, status: { phase: 'Pending' } }),
  ]
  const lines = exposition(volumeFamilies(volumes, claims)).split('\n')
  // As kube-controller-manager 1.36.3 shows such objects.
  for (const line of [
    'pv_collector_bound_pv_count{storage_class=""} 1',
    'pv_collector_unbound_pv_count{storage_class="fast"} 1',
    'pv_collector_bound_pvc_count{namespace="n",storage_class="",volume_attributes_class=""} 1',
    'pv_collector_unbound_pvc_count{namespace="n",storage_class="none",volume_attributes_class=""} 1',
    'pv_collector_total_pv_count{plugin_name="kubernetes.io/host-path",volume_mode="Filesystem"} 1',
  ])
    assert.ok(lines.includes(line), line)
})
