import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '../../machinery/object.ts'
import type { Node, PersistentVolume, PersistentVolumeAccessMode, PersistentVolumeClaim, Pod } from '../../resources/types/core.ts'
import type { VolumeAttachment } from '../../resources/types/storage.ts'
import { sketch } from '../frame/sketch.double.ts'
import { attachedElsewhere, attachmentOf, MANAGED_ANNOTATION, planAttachments, uniqueNameOf, wantedVolumes } from './plan.ts'

const object = <T extends KubeObject>(kind: string, name: string, rest: { metadata?: object; [field: string]: unknown } = {}): T =>
  sketch({
    apiVersion: 'v1',
    kind,
    ...rest,
    metadata: { name, namespace: 'n', ...rest.metadata },
  })
const volume = object<PersistentVolume>('PersistentVolume', 'pv', { spec: { csi: { driver: 'd', volumeHandle: 'h' } } })
const claim = (phase: string) =>
  object<PersistentVolumeClaim>('PersistentVolumeClaim', 'c', { spec: { volumeName: 'pv' }, status: { phase } })
const pod = (name: string, phase: string) =>
  object<Pod>('Pod', name, {
    spec: { nodeName: 'a', volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }] },
    status: { phase },
  })
const node = (status: object = {}, managed = 'true') =>
  object<Node>('Node', 'a', { metadata: { annotations: { [MANAGED_ANNOTATION]: managed } }, status })

const wantedOf = (pods: readonly Pod[], facts: { phase?: string; attaches?: boolean; node?: Node } = {}) =>
  wantedVolumes({
    node: facts.node ?? node(),
    pods,
    claim: () => claim(facts.phase ?? 'Bound'),
    volume: () => volume,
    attaches: () => facts.attaches ?? true,
  })

test('volumes of bound claims of pods that have not ended are wanted, each once', () => {
  assert.deepEqual(
    [...wantedOf([pod('p', 'Running'), pod('q', 'Pending')]).values()].map((w) => w.pods.map((p) => p.metadata.name)),
    [['p', 'q']],
  )
  assert.equal(wantedOf([pod('p', 'Succeeded')]).size, 0)
  assert.equal(wantedOf([pod('p', 'Running')], { phase: 'Pending' }).size, 0)
  assert.equal(wantedOf([pod('p', 'Running')], { attaches: false }).size, 0)
  assert.equal(wantedOf([pod('p', 'Running')], { node: node({}, 'false') }).size, 0)
})

test('a volume is attached, reported, and detached when the node has unmounted it', () => {
  const wanted = wantedOf([pod('p', 'Running')])
  const [[name, volumeWanted] = ['', undefined]] = [...wanted]
  assert.ok(volumeWanted)
  const unique = 'kubernetes.io/csi/d^h'
  const attachment = (status: object): VolumeAttachment => sketch({ ...attachmentOf(name, 'a', volumeWanted), status })
  const nameOf = (a: VolumeAttachment) => uniqueNameOf(a, volume)
  const plan = (status: object, wants: typeof wanted, standing: readonly VolumeAttachment[]) => {
    const p = planAttachments(node(status), wants, standing, nameOf)
    return [p.attach.length, p.detach.length, p.volumesAttached.map((v) => v.name).join(), p.fresh.length]
  }
  const reported = { volumesAttached: [{ name: unique, devicePath: '' }] }
  assert.deepEqual(plan({}, wanted, []), [1, 0, '', 0])
  assert.deepEqual(plan({}, wanted, [attachment({ attached: false })]), [0, 0, '', 0])
  assert.deepEqual(plan({}, wanted, [attachment({ attached: true })]), [0, 0, unique, 1])
  assert.deepEqual(plan(reported, wanted, [attachment({ attached: true })]), [0, 0, unique, 0])
  assert.deepEqual(plan({ ...reported, volumesInUse: [unique] }, new Map(), [attachment({ attached: true })]), [0, 0, unique, 0])
  assert.deepEqual(plan(reported, new Map(), [attachment({ attached: true })]), [0, 1, '', 0])
})

test('a volume for one node at a time waits for the other node, and the event names its user', () => {
  const [[key = '', free] = []] = [...wantedOf([pod('p', 'Pending')])]
  assert.ok(free)
  const found = (accessModes: readonly PersistentVolumeAccessMode[], on: string, users: readonly Pod[]) => {
    const wanted = { ...free, volume: { ...volume, spec: { ...volume.spec, accessModes } } }
    return attachedElsewhere(wanted, 'a', { elsewhere: [attachmentOf(key, on, free)], users }).map(({ message }) => message)
  }
  const far = { ...pod('far', 'Running'), metadata: { name: 'far', namespace: 'other' } }
  const says = (why: string) => [`Multi-Attach error for volume "pv" ${why}`]
  const near = pod('near', 'Running')
  for (const [modes, on, users, expected] of [
    [['ReadWriteOnce'], 'b', [], says("Volume is already exclusively attached to one node and can't be attached to another")],
    [['ReadWriteOnce'], 'b', [near], says('Volume is already used by pod(s) near')],
    [['ReadWriteOncePod'], 'b', [far], says('Volume is already used by 1 pod(s) in different namespaces')],
    [['ReadWriteOnce'], 'b', [near, far], says('Volume is already used by pod(s) near and 1 pod(s) in different namespaces')],
    [['ReadWriteOnce', 'ReadOnlyMany'], 'b', [near], []],
    [['ReadWriteOnce'], 'a', [near], []],
    [[], 'b', [near], []],
  ] as const)
    assert.deepEqual(found(modes, on, users), expected)
})
