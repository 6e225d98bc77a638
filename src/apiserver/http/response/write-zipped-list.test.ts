import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { bytesOf, StoredObject } from '../../cache/stored-object.ts'
import type { Exchange } from '../exchange.ts'
import { writeZippedList } from './write-zipped-list.ts'
import { type ObjectForm, ZippedSegments } from './zipped-segments.ts'

let revision = 1
const object = (key: string, text: string) =>
  new StoredObject({
    key,
    source: bytesOf(Buffer.from(JSON.stringify({ apiVersion: 'v1', kind: 'X', metadata: { name: key }, text }))),
    revision: revision++,
  })

/** How objects are written, counted. */
function counted() {
  let written = 0
  const form: ObjectForm = {
    name: 'object',
    element: (one, out) => {
      written++
      one.writeListElement(out)
    },
  }
  return { form, written: () => written }
}

/** Keeps what is written; takes it at once, or only when the event loop has turned. */
function reader(slow: boolean) {
  const parts: Buffer[] = []
  let drain = () => {}
  let ended = false
  const exchange = {
    headers: {},
    start: () => {},
    write(bytes: Buffer) {
      parts.push(Buffer.from(bytes))
      if (slow) setTimeout(() => drain(), 0)
      return !slow
    },
    end: () => {
      ended = true
    },
    onDrain: (fn: () => void) => {
      drain = fn
    },
    onClose: () => {},
  } as unknown as Exchange
  return { exchange, ended: () => ended, bytes: () => Buffer.concat(parts) }
}

const list = async (objects: readonly StoredObject[], form: ObjectForm, segments: ZippedSegments, slow = false) => {
  const to = reader(slow)
  await writeZippedList(to.exchange, {}, { head: '{"items":[', tail: ']}\n', objects, form }, segments)
  assert.ok(to.ended())
  return String(gunzipSync(to.bytes()))
}

const plain = (objects: readonly StoredObject[]) =>
  `{"items":[${objects
    .map((one) => {
      const { apiVersion: _a, kind: _k, ...rest } = JSON.parse(String(one.json()))
      return JSON.stringify({ ...rest, metadata: { ...rest.metadata } })
    })
    .join(',')}]}\n`

test('an unzipped list is the current list, whatever changed since the last request', async () => {
  const change = fc.record({ at: fc.nat(), what: fc.constantFrom('change', 'remove', 'add'), text: fc.string({ maxLength: 40 }) })
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 12 }), fc.boolean(), async (changes, slow) => {
      const segments = new ZippedSegments()
      const { form } = counted()
      let objects = Array.from({ length: 300 }, (_, i) => object(`ns/pod-${1000 + i}`, `${i}`.repeat(400)))
      for (const { at, what, text } of [...changes, ...changes]) {
        const i = at % objects.length
        if (what === 'remove') objects = objects.toSpliced(i, 1)
        else if (what === 'add') objects = objects.toSpliced(i, 0, object(`${objects[i]?.key}-${revision}`, text))
        else objects = objects.with(i, object(objects[i]?.key ?? '', text))
        assert.equal(JSON.stringify(JSON.parse(await list(objects, form, segments, slow))), plain(objects).trim())
      }
    }),
    { numRuns: 20 },
  )
})

test('of a list in which one object changed, one part is made anew', async () => {
  const segments = new ZippedSegments()
  const { form, written } = counted()
  const objects = Array.from({ length: 3000 }, (_, i) => object(`ns/pod-${10_000 + i}`, `${i}`.repeat(300)))
  await list(objects, form, segments)
  assert.equal(written(), 3000)
  await list(objects, form, segments)
  assert.equal(written(), 3000)
  await list(objects.with(1500, object('ns/pod-11500', 'changed')), form, segments)
  assert.ok(written() < 3000 + 1500, `${written() - 3000} were written again`)
  await Promise.all([1, 2, 3].map(() => list(objects.toSpliced(7, 1), form, segments)))
  assert.ok(written() < 3000 + 3500, `${written()}`)
})

test('what is kept is bounded in bytes, and large texts come through', async () => {
  const segments = new ZippedSegments()
  const { form } = counted()
  // Digests behind each other: text that cannot be made smaller.
  const noise = (length: number) =>
    Array.from({ length: length / 64 }, (_, i) => createHash('sha512').update(String(i)).digest('base64')).join('')
  const text = noise(300_000)
  for (let i = 0; i < 130; i++) {
    const objects = [object(`a-${i}`, `${i}${text}`), object(`b-${i}`, `${i}`)]
    assert.equal(JSON.stringify(JSON.parse(await list(objects, form, segments))), plain(objects).trim())
    assert.ok(segments.bytes <= 33 * 1024 * 1024, `${segments.bytes}`)
  }
  assert.ok(segments.bytes > 16 * 1024 * 1024, `${segments.bytes}`)
})
