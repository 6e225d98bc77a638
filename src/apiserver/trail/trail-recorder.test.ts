import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../base/clock.ts'
import { seededRandom } from '../../base/random.ts'
import { parseQuery } from '../request/query.ts'
import { readRequest } from '../request/read-request.ts'
import { Request } from '../request/request.ts'
import { NO_BODY } from '../request/request-body.ts'
import { TrailRecorder } from './trail-recorder.ts'

/** A request over a socket, before it is authenticated. */
class SentRequest extends Request {
  readonly body = NO_BODY
  readonly sourceIPs: readonly string[] = []
  readonly signal = new AbortController().signal
  readonly url: string
  readonly userAgent: string
  readonly auditId: string | undefined

  constructor(url: string, { userAgent = 'test/1', auditId }: { readonly userAgent?: string; readonly auditId?: string } = {}) {
    const [path = '', search = ''] = url.split('?')
    const query = parseQuery(search)
    super(readRequest('GET', path, query), query)
    this.url = url
    this.userAgent = userAgent
    this.auditId = auditId
  }

  warn(): void {}
}

const recorder = () => new TrailRecorder({ clock: new VirtualClock(), random: seededRandom(1) })
const MIB = 1024 * 1024

test('the last 5,000 requests are kept', () => {
  const trails = recorder()
  for (let i = 0; i < 5100; i++) trails.begin(new SentRequest('/version', { auditId: `id-${i}` })).complete(200)
  assert.equal(trails.size, 5000)
  assert.equal(trails.names()[0], 'id-100')
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
  assert.equal(new Set(trails.names()).size, 8)
})

test('a request that ends after its trail was dropped changes nothing', () => {
  const trails = recorder()
  const first = trails.begin(new SentRequest('/version'))
  for (let i = 0; i < 5000; i++) trails.begin(new SentRequest('/version'))
  const { revision } = trails.changes
  const { bytes } = trails
  first.annotate('a', 'b')
  first.complete(200)
  assert.deepEqual([trails.changes.revision, trails.bytes], [revision, bytes])
})
