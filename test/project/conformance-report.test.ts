import assert from 'node:assert/strict'
import { test } from 'node:test'
import { REAL } from '../../scripts/conformance/real/real-section.ts'
import { readReasons, reasonFor } from '../../scripts/conformance/reasons.ts'
import { countsByGroup, SIMULATED, sectionOf, withSection } from '../../scripts/conformance/report.ts'
import { mergeResults } from '../../scripts/conformance/result-files.ts'

const RESULTS = [
  { name: '[sig-node] Pods run', state: 'passed', seconds: 1 },
  { name: '[sig-node] Sysctls | are set', state: 'failed', seconds: 1, why: 'no' },
  { name: '[sig-apps] Job ends', state: 'slow', seconds: 9 },
] as const

test('specs are counted by group and together', () => {
  assert.deepEqual(
    [...countsByGroup(RESULTS)].map(([g, c]) => [g, c.passed, c.failed, c.slow, c.skipped]),
    [
      ['sig-apps', 0, 0, 1, 0],
      ['sig-node', 1, 1, 0, 0],
      ['all', 1, 1, 1, 0],
    ],
  )
})

test('the first matching pattern gives the reason', () => {
  const reasons = readReasons('# needs a kernel\nSysctls\n\\[sig-storage\\]\n# too late\n.*\n')
  assert.equal(reasonFor('[sig-node] Sysctls', reasons), 'needs a kernel')
  assert.equal(reasonFor('[sig-apps] Job', reasons), 'too late')
  assert.equal(reasonFor('[sig-apps] Job', []), 'not known yet')
})

test('the page names every spec that did not pass under its reason, and no other', () => {
  const page = sectionOf(SIMULATED, RESULTS, readReasons('# needs a kernel\nSysctls'))
  assert.match(page, /#### needs a kernel \(1\)\n\n- failed: \[sig-node\] Sysctls \\\| are set\n/)
  assert.match(page, /#### not known yet \(1\)\n\n- timed out: \[sig-apps\] Job ends\n/)
  assert.doesNotMatch(page, /Pods run/)
})

test('of several runs a pass counts, and otherwise the last result', () => {
  const run = (name: string, state: 'passed' | 'failed' | 'slow', day: number) =>
    ({ name, state, seconds: 1, at: `2026-01-0${day}T00:00:00.000Z`, commit: `c${day}` }) as const
  const merged = mergeResults([
    run('a', 'failed', 1),
    run('a', 'passed', 2),
    run('a', 'failed', 3),
    run('b', 'slow', 3),
    run('b', 'failed', 1),
    run('c', 'passed', 4),
    run('c', 'passed', 2),
  ])
  assert.deepEqual(
    merged.map((r) => [r.name, r.state, r.commit]),
    [
      ['a', 'passed', 'c2'],
      ['b', 'slow', 'c3'],
      ['c', 'passed', 'c4'],
    ],
  )
  assert.match(sectionOf(SIMULATED, merged, []), /These results are of 2026-01-02 to 2026-01-04, of commit c2 to c4:/)
})

test('a section takes the place of the one of its title, and leaves the others', () => {
  const page = '# Conformance\n\n## Simulated nodes\n\nold\n\n## Real nodes\n\nkept\n'
  const first = withSection(page, '## Simulated nodes\n\nnew\n')
  assert.equal(first, '# Conformance\n\n## Simulated nodes\n\nnew\n\n## Real nodes\n\nkept\n')
  assert.equal(withSection(first, '## Real nodes\n\nnew\n'), '# Conformance\n\n## Simulated nodes\n\nnew\n\n## Real nodes\n\nnew\n')
  assert.equal(withSection('# Conformance\n', '## Real nodes\n\nnew\n'), '# Conformance\n\n## Real nodes\n\nnew\n')
})

test('a table has the counts of the real kubelet beside its own, and says what did not run', () => {
  const page = sectionOf(REAL, RESULTS, [])
  assert.match(page, /\| group .*\| of \| suite has \| kubelet ran \| kubelet passed \|/)
  assert.match(page, /\| sig-node \| 1 \| 1 \| 0 \| 0 \| 2 \| 106 \| 106 \| 105 \|/)
  assert.match(page, /\| all \| 1 \| 1 \| 1 \| 0 \| 3 \| 446 \| 419 \| 410 \|/)
})
