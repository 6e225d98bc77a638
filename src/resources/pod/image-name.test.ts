import assert from 'node:assert/strict'
import { test } from 'node:test'
import { imagePullPolicyFor, imageTag } from './image-name.ts'

const cases: readonly (readonly [image: string, tag: string, policy: string])[] = [
  ['nginx', 'latest', 'Always'],
  ['nginx:latest', 'latest', 'Always'],
  ['nginx:1.25', '1.25', 'IfNotPresent'],
  ['localhost:5000/a/b', 'latest', 'Always'],
  ['localhost:5000/a/b:v1', 'v1', 'IfNotPresent'],
  [`a@sha256:${'0'.repeat(64)}`, '', 'IfNotPresent'],
  [`a:v@sha256:${'0'.repeat(64)}`, 'v', 'IfNotPresent'],
  ['Bad_Name!', '', 'IfNotPresent'],
  ['a'.repeat(300), '', 'IfNotPresent'],
]

for (const [image, tag, policy] of cases)
  test(`a moving tag is pulled always, a fixed one or a digest once, and what is no name once too: ${JSON.stringify(image)}`, () => {
    assert.equal(imageTag(image), tag, image)
    assert.equal(imagePullPolicyFor(image), policy, image)
  })
