import assert from 'node:assert/strict'
import { test } from 'node:test'
import { APP_ARMOR, OLD_APP_ARMOR, takeAppArmorAnnotations } from './app-armor.ts'
import type { Pod } from './types.ts'

const WARNING = `metadata.annotations[${APP_ARMOR}m]: ${OLD_APP_ARMOR}`

for (const [title, annotation, spec, profile, warns] of [
  ['sets the field', 'unconfined', {}, { type: 'Unconfined' }, true],
  ['names a profile of the node', 'localhost/x', {}, { type: 'Localhost', localhostProfile: 'x' }, true],
  ['that means nothing sets no field', 'localhost/', {}, undefined, true],
  [
    "that repeats the pod's profile sets none",
    'runtime/default',
    { securityContext: { appArmorProfile: { type: 'RuntimeDefault' } } },
    undefined,
    false,
  ],
  ['of a pod for Windows is passed over', 'unconfined', { os: { name: 'windows' } }, undefined, false],
] as const)
  test(`an AppArmor annotation ${title}`, () => {
    const warnings: string[] = []
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p', annotations: { [`${APP_ARMOR}m`]: annotation } },
      spec: { ...spec, containers: [{ name: 'm' }] },
    } as Pod
    takeAppArmorAnnotations(pod, (text) => warnings.push(text))
    assert.deepEqual(pod.spec?.containers?.[0]?.securityContext?.appArmorProfile, profile)
    assert.deepEqual(warnings, warns ? [WARNING] : [])
  })
