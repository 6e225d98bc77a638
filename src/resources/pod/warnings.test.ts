import assert from 'node:assert/strict'
import { test } from 'node:test'
import { podWarnings } from './warnings.ts'

const spec = { containers: [{ name: 'main', image: 'app' }] }
const SECCOMP = 'non-functional in v1.27+; use the "seccompProfile" field instead'

for (const [annotation, path, warning] of [
  ['scheduler.alpha.kubernetes.io/critical-pod', '', 'non-functional in v1.16+; use the "priorityClassName" field instead'],
  ['security.alpha.kubernetes.io/sysctls', '', 'non-functional in v1.11+; use the "sysctls" field instead'],
  ['seccomp.security.alpha.kubernetes.io/pod', '', SECCOMP],
  ['container.seccomp.security.alpha.kubernetes.io/main', '', SECCOMP],
  ['container.seccomp.security.alpha.kubernetes.io/other', '', undefined],
  ['container.apparmor.security.beta.kubernetes.io/main', 'template', 'deprecated since v1.30; use the "appArmorProfile" field instead'],
  // The annotation of a pod has become its field.
  ['container.apparmor.security.beta.kubernetes.io/main', '', undefined],
  ['example.com/other', '', undefined],
] as const)
  test(`the annotation ${annotation} ${path}: ${warning ?? 'no warning'}, of a spec without warnings too`, () => {
    assert.deepEqual(podWarnings(spec, {}, path), [])
    const at = path === '' ? 'metadata' : `${path}.metadata`
    const annotations = { [annotation]: 'runtime/default' }
    assert.deepEqual(podWarnings(spec, annotations, path), warning === undefined ? [] : [`${at}.annotations[${annotation}]: ${warning}`])
    assert.deepEqual(podWarnings(spec, {}, path), [])
  })
