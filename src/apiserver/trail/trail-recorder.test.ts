import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../base/clock.ts'
import { seededRandom } from '../../base/random.ts'
import { SentRequest } from '../request/sent-request.double.ts'
import { TrailRecorder } from './trail-recorder.ts'

/** `read`: from its first request on, somebody reads the trails. */
const recorder = ({ read = false } = {}) => {
  const trails = new TrailRecorder({ clock: new VirtualClock(), random: seededRandom(1) })
  if (read) trails.follow()
  return trails
}

/** The names of the trails, for who reads them first now. */
function namesOf(trails: TrailRecorder): readonly string[] {
  trails.follow()
  return trails.names()
}

const MIB = 1024 * 1024

const POST = { method: 'POST' }

test('the last 5,000 writes are kept', () => {
  const trails = recorder()
  for (let i = 0; i < 5100; i++) trails.begin(new SentRequest('/api/v1/nodes', { ...POST, auditId: `id-${i}` })).complete(201)
  assert.equal(trails.size, 5000)
  assert.equal(namesOf(trails)[0], 'id-100')
})

test('the last 500 reads are kept, and push out no write', () => {
  const trails = recorder()
  trails.begin(new SentRequest('/api/v1/nodes', { ...POST, auditId: 'write' })).complete(201)
  for (let i = 0; i < 6000; i++) trails.begin(new SentRequest('/version', { auditId: `id-${i}` })).complete(200)
  assert.equal(trails.size, 501)
  assert.deepEqual([namesOf(trails)[0], trails.of('write')?.code], ['id-5500', 201])
})

test('a read that has failed is kept as long as a write', () => {
  const trails = recorder({ read: true })
  const failed = trails.begin(new SentRequest('/version', { auditId: 'failed' }))
  failed.failed(new Error('no'))
  failed.complete(500)
  for (let i = 0; i < 4999; i++) {
    trails.begin(new SentRequest('/version')).complete(200)
    trails.begin(new SentRequest('/api/v1/nodes', POST)).complete(201)
  }
  assert.deepEqual([trails.size, trails.of('failed')], [5500, failed])
  trails.begin(new SentRequest('/api/v1/nodes', POST)).complete(201)
  assert.equal(trails.of('failed'), undefined)
})

test('a watch counts as a write while it is open', () => {
  const trails = recorder({ read: true })
  const watch = trails.begin(new SentRequest('/api/v1/nodes?watch=1', { auditId: 'watch' }))
  for (let i = 0; i < 600; i++) trails.begin(new SentRequest('/version')).complete(200)
  assert.equal(trails.of('watch'), watch)
})

test('texts of clients are kept within 16 MiB', () => {
  const trails = recorder()
  const long = 'x'.repeat(16_000)
  for (let i = 0; i < 2000; i++) {
    const trail = trails.begin(new SentRequest(`/${long}?fieldManager=${long}`, { userAgent: long }))
    trail.annotate('a', long)
    trail.failed(new Error(long))
    trail.complete(500)
  }
  assert.ok(trails.bytes <= 16 * MIB, `${trails.bytes} bytes`)
  assert.ok(trails.size > 50, `${trails.size} trails`)
})

test('an audit id that is no name, or is taken, does not become the name of the trail', () => {
  const trails = recorder()
  for (const auditId of ['a/b', '..', 'x'.repeat(64), '<img onerror=x>', 'A', '__proto__', 'taken', 'taken']) {
    const { name, id } = trails.begin(new SentRequest('/version', { auditId }))
    assert.equal(id, auditId)
    assert.match(name, /^(taken|[0-9a-f-]{36})$/)
  }
  assert.equal(new Set(namesOf(trails)).size, 8)
})

test('while nobody reads trails, the oldest is used again when it has ended', () => {
  const trails = recorder()
  const running = trails.begin(new SentRequest('/version'))
  const ended = trails.begin(new SentRequest('/version'))
  ended.complete(200)
  const rest = Array.from({ length: 498 }, () => trails.begin(new SentRequest('/version')))
  const [first, second] = [trails.begin(new SentRequest('/healthz')), trails.begin(new SentRequest('/livez'))]
  assert.ok(first !== running && !rest.includes(first), 'the oldest runs yet')
  assert.equal(second, ended)
  assert.deepEqual([second.info.path, second.code, second.endOf('respond')], ['/livez', undefined, undefined])
})

test('a failed read is not used again while it has its place among the reads', () => {
  const trails = recorder()
  const failed = trails.begin(new SentRequest('/version'))
  failed.failed(new Error('no'))
  failed.complete(500)
  const writes = Array.from({ length: 5001 }, () => {
    const write = trails.begin(new SentRequest('/api/v1/nodes', POST))
    write.complete(201)
    return write
  })
  for (let i = 0; i < 500; i++) trails.begin(new SentRequest('/version')).complete(200)
  assert.ok(!writes.includes(failed))
  assert.deepEqual(new Set(writes.slice(1).map(({ info }) => info.verb)), new Set(['create']))
})

test('no trail is used again while somebody reads them', () => {
  const trails = recorder({ read: true })
  const first = trails.begin(new SentRequest('/version', { auditId: 'first' }))
  first.complete(200)
  for (let i = 0; i < 600; i++) trails.begin(new SentRequest('/healthz')).complete(200)
  assert.deepEqual([first.id, first.info.path, trails.of('first')], ['first', '/version', undefined])
})

test('who follows trails gets changes; 20,000 requests after the last reader, a watch has to begin anew', () => {
  const trails = recorder({ read: true })
  const { revision } = trails.changes
  trails.begin(new SentRequest('/version', { auditId: 'one' })).complete(200)
  assert.deepEqual(trails.changes.after(revision, 10), ['one'])
  for (let i = 0; i < 20_000; i++) trails.begin(new SentRequest('/version')).complete(200)
  assert.equal(trails.changes.after(revision, 10), undefined)
  assert.deepEqual(trails.names(), [])
  assert.equal(namesOf(trails).length, 500)
})

test('a write is joined with its object, whether somebody reads trails before or only afterwards', () => {
  for (const read of [true, false]) {
    const trails = recorder({ read })
    const write = trails.begin(new SentRequest('/api/v1/namespaces/shop/configmaps', POST))
    write.stored('shop/prices', 7)
    write.complete(201)
    trails.followWrites()
    assert.deepEqual(trails.writes.of('shop/configmaps:prices')?.trails, [write])
    assert.equal(trails.causes.storedBy('7'), write)
  }
})

test('a request that ends after its trail was dropped changes nothing', () => {
  const trails = recorder()
  const first = trails.begin(new SentRequest('/version'))
  for (let i = 0; i < 500; i++) trails.begin(new SentRequest('/version'))
  const { revision } = trails.changes
  const { bytes } = trails
  first.annotate('a', 'b')
  first.complete(200)
  assert.deepEqual([trails.changes.revision, trails.bytes], [revision, bytes])
})

test('the stage in which a request fails ends there, and the response begins', async () => {
  const clock = new VirtualClock()
  const trails = new TrailRecorder({ clock, random: seededRandom(1) })
  const request = new SentRequest('/api/v1/namespaces/shop/configmaps', POST)
  const trail = trails.begin(request)
  const passing = { sender: undefined, user: { name: 'ann', groups: [] }, long: false }
  await clock.advance(1)
  for (const stage of ['authenticate', 'wait', 'authorize'] as const) trail.passed(stage, passing)
  await clock.advance(20)
  trail.failed(new Error('no'))
  await clock.advance(3)
  trail.complete(403)
  assert.deepEqual([trail.endOf('authorize'), trail.endOf('handle'), trail.endOf('respond')], [1, 21, 24])
})
