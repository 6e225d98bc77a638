import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OwnValues } from './own-values.ts'

const value = (text: string) => ({ json: Buffer.from(text), stored: Buffer.from(`k8s\0${text}`) })
const stored = (text: string) => Buffer.from(`k8s\0${text}`)

test('a value that this server wrote is known when the watch delivers it, once', () => {
  const own = new OwnValues()
  const a = value('a')
  own.add('key', a)
  assert.equal(own.deliver('other', stored('a')), undefined)
  assert.equal(own.deliver('key', stored('b')), undefined, 'what another server wrote before')
  assert.equal(own.deliver('key', stored('a')), a.json)
  assert.equal(own.deliver('key', stored('a')), undefined)
})

test('a value that was not stored is forgotten, unless a later one is at its key', () => {
  const own = new OwnValues()
  const [a, b] = [value('a'), value('b')]
  own.add('key', a)
  own.drop('key', a)
  assert.equal(own.deliver('key', stored('a')), undefined)
  own.add('key', a)
  own.add('key', b)
  own.drop('key', a)
  assert.equal(own.deliver('key', stored('b')), b.json)
})
