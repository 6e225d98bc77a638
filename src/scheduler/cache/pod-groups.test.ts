import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pod } from '../plugins/plugin-table.double.ts'
import { PodGroups } from './pod-groups.ts'

const member = pod('a', { spec: { schedulingGroup: { podGroupName: 'g' } } })
const show = (groups: PodGroups) => {
  const { unplaced, placed } = groups.of('default', 'g')
  return `${[...unplaced]} | ${[...placed]}`
}

test('a pod is in its group where it was noted last, until it is gone', () => {
  const groups = new PodGroups()
  const seen = (['unplaced', 'placed', 'unplaced', 'gone'] as const).map((now) => {
    groups.note('default/a', member, now)
    return show(groups)
  })
  assert.deepEqual(seen, ['default/a | ', ' | default/a', 'default/a | ', ' | '])
})

test('a pod without a group, and one of a group of another namespace, are not members', () => {
  const groups = new PodGroups()
  groups.note('default/b', pod('b'), 'placed')
  groups.note('other/c', pod('c', { namespace: 'other', spec: { schedulingGroup: { podGroupName: 'g' } } }), 'placed')
  assert.equal(show(groups), ' | ')
})
