import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ContainerRecord, ShownState } from '../../types/container-record.ts'
import type { Pod } from '../../types/pod.ts'
import { conclude } from './conclude.ts'

const STATES: Readonly<Record<string, ShownState>> = {
  w: { kind: 'waiting', reason: 'PodInitializing' },
  r: { kind: 'running', id: 'c', startedAtMs: 0 },
  '0': { kind: 'terminated', id: 'c', exitCode: 0, startedAtMs: 0, finishedAtMs: 1 },
  '1': { kind: 'terminated', id: 'c', exitCode: 1, startedAtMs: 0, finishedAtMs: 1 },
}

/** `i0 s:r m:w`: an init container with exit code 0, a running sidecar, a waiting main container. */
function parse(text: string): { readonly pod: Pod; readonly records: readonly ContainerRecord[] } {
  const records = text.split(' ').map((word, i): ContainerRecord => {
    const role = word.startsWith('i') ? 'init' : word.startsWith('s') ? 'sidecar' : 'main'
    const state = STATES[word.at(-1) ?? ''] ?? { kind: 'waiting', reason: '' }
    return { container: { name: `c${i}`, image: 'app' }, role, state, restartCount: 0, started: state.kind === 'running', ready: false }
  })
  const named = (roles: readonly string[]) => records.filter((r) => roles.includes(r.role)).map((r) => r.container)
  const initContainers = named(['init', 'sidecar'])
  const spec = { containers: named(['main']), ...(initContainers.length > 0 && { initContainers }) }
  return { pod: { apiVersion: 'v1', kind: 'Pod', metadata: {}, spec, status: {} }, records }
}

const shown = (records: readonly ContainerRecord[]) =>
  records.map((r) => (r.state.kind === 'terminated' ? String(r.state.exitCode) : r.state.kind.charAt(0))).join(' ')

test('a container that may have started and whose end was not seen gets an unknown end', () => {
  const table: readonly [string, string][] = [
    ['m0 m1', '0 1'],
    ['mr mw m0', '137 137 0'],
    // The first init container may always have run; later ones only if one of them has started.
    ['iw iw mw', '137 w w'],
    ['i0 iw mw', '0 w w'],
    ['i1 ir mw', '1 137 w'],
    // The last init container succeeded: the main containers may have run.
    ['i0 i0 mw', '0 0 137'],
    ['i0 sr mw', '0 137 137'],
    ['i1 m1 mw', '1 1 137'],
  ]
  for (const [before, after] of table) {
    const { pod, records } = parse(before)
    assert.equal(shown(conclude(pod, records)), after, before)
  }
})

test('main containers cannot have started if the last init container still ran when the stop began', () => {
  const { pod, records } = parse('i0 i0 mw')
  assert.equal(shown(conclude(pod, records, parse('i0 ir mw').records)), '0 0 w')
  assert.equal(shown(conclude(pod, records, parse('i0 i0 mw').records)), '0 0 137')
})

test('records of ended containers are unchanged', () => {
  const { pod, records } = parse('i0 m1')
  assert.equal(conclude(pod, records), records)
})
