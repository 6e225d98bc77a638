import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kubernetesKinds } from '../../server/kubernetes-kinds.ts'
import { scaleColumns } from './scale-columns.ts'

const shapes = (isCustom: boolean) =>
  scaleColumns(kubernetesKinds, { isCustom }).map(({ name, type, format, description }) => [name, type, format, description.slice(0, 24)])

test('the columns of a scale are declared differently for built-in and custom kinds', () => {
  assert.deepEqual(shapes(false), [
    ['Name', 'string', '', 'Name must be unique with'],
    ['Desired', 'integer', '', 'replicas is the desired '],
    ['Available', 'integer', '', 'replicas is the actual n'],
    ['Age', 'string', '', 'CreationTimestamp is a t'],
  ])
  assert.deepEqual(shapes(true), [
    ['Name', 'string', 'name', 'Name must be unique with'],
    ['Desired', 'integer', '', 'Number of desired replic'],
    ['Available', 'integer', '', 'Number of actual replica'],
    ['Age', 'date', '', 'CreationTimestamp is a t'],
  ])
})
