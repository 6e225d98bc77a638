import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { planRelease, type ReleaseRequest } from '../../scripts/plan-release.ts'

const root = path.join(import.meta.dirname, '..', '..')
const read = (file: string) => readFileSync(path.join(root, file), 'utf8')

const READY: ReleaseRequest = {
  version: '7.8.9',
  date: '2030-01-02',
  branch: 'main',
  isClean: true,
  tags: ['v0.0.1'],
  files: {
    'package.json': '{\n  "name": "x",\n  "version": "0.0.1",\n  "dependencies": { "y": { "version": "0.0.1" } }\n}\n',
    'package-lock.json':
      '{ "version": "0.0.1", "lockfileVersion": 3, "packages": { "": { "version": "0.0.1" }, "node_modules/y": { "version": "0.0.1" } } }\n',
    'src/base/version.ts': "export const VERSION = '0.0.1'\n",
    'CHANGELOG.md': '# Changes\n\n## Unreleased\n\n- A thing.\n\n## 0.0.1 (2029-01-01)\n\n- Old.\n',
  },
}

test('a release writes the version wherever the package names its own, and nowhere else', () => {
  assert.deepEqual(planRelease(READY), {
    kind: 'release',
    tag: 'v7.8.9',
    notes: '- A thing.',
    files: {
      'package.json': '{\n  "name": "x",\n  "version": "7.8.9",\n  "dependencies": { "y": { "version": "0.0.1" } }\n}\n',
      'package-lock.json':
        '{ "version": "7.8.9", "lockfileVersion": 3, "packages": { "": { "version": "7.8.9" }, "node_modules/y": { "version": "0.0.1" } } }\n',
      'src/base/version.ts': "export const VERSION = '7.8.9'\n",
      'CHANGELOG.md': '# Changes\n\n## Unreleased\n\n## 7.8.9 (2030-01-02)\n\n- A thing.\n\n## 0.0.1 (2029-01-01)\n\n- Old.\n',
    },
  })
})

const REFUSED: readonly [change: Partial<ReleaseRequest>, reason: RegExp][] = [
  [{ version: 'next' }, /"next" is not a version/],
  [{ version: '' }, /"" is not a version/],
  [{ branch: 'topic' }, /from main, not from topic/],
  [{ isClean: false }, /not committed/],
  [{ tags: ['v7.8.9'] }, /v7\.8\.9 exists/],
  [{ files: { ...READY.files, 'CHANGELOG.md': '# Changes\n\n## Unreleased\n\n## 0.0.1\n- Old.\n' } }, /nothing under/],
]
for (const [change, reason] of REFUSED)
  test(`no release is made where ${reason.source}`, () => {
    const plan = planRelease({ ...READY, ...change })
    assert.equal(plan.kind, 'refused')
    if (plan.kind === 'refused') assert.match(plan.reasons.join('\n'), reason)
  })

test('package.json, package-lock.json and src/base/version.ts name one version', () => {
  const { version } = JSON.parse(read('package.json'))
  const lock = JSON.parse(read('package-lock.json'))
  assert.deepEqual([lock.version, lock.packages[''].version], [version, version])
  assert.match(read('src/base/version.ts'), new RegExp(`^export const VERSION = '${RegExp.escape(version)}'$`, 'm'))
})
