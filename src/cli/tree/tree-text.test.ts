import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import type { RelatedObject } from '../../page/wire/overview.ts'
import { treeText } from './tree-text.ts'

const related = (depth: number, kind: string, name: string, why: Partial<RelatedObject> = {}): RelatedObject => ({
  ...{ group: '', version: 'v1', resource: '', namespace: 'shop', tone: '', health: '', self: false },
  ...{ depth, kind, name, ...why },
})

test('a tree is drawn with its branches, and with what is not well', () => {
  const tree = [
    related(0, 'Deployment', 'web', { self: true }),
    related(1, 'ReplicaSet', 'old'),
    related(2, 'Pod', 'old-a', { tone: 'bad', health: 'ImagePullBackOff' }),
    related(1, 'ReplicaSet', 'new', { tone: 'busy', health: '1 of 2 ready' }),
    related(2, 'Pod', 'new-a'),
    related(2, 'Pod', 'new-b'),
  ]
  assert.equal(
    stripVTControlCharacters(treeText(tree)),
    [
      '● Deployment shop/web',
      '├─ ● ReplicaSet shop/old',
      '│  └─ ▲ Pod shop/old-a  ImagePullBackOff',
      '└─ ◐ ReplicaSet shop/new  1 of 2 ready',
      '   ├─ ● Pod shop/new-a',
      '   └─ ● Pod shop/new-b',
    ].join('\n'),
  )
})
