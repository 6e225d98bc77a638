import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { type ClientHttp2Session, connect, createServer, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { HpackDecoder } from '../../../base/http2/hpack-decoder.ts'
import { PlainAuthority, withPlainAuthority } from './plain-authority.ts'

/** Node's own HTTP/2 on both sides, the filter between them. */
async function open(t: TestContext) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'h2-'))
  const socket = path.join(folder, 's')
  const server = createServer()
  const seen: IncomingHttpHeaders[] = []
  server.on('stream', (stream: ServerHttp2Stream, headers) => {
    seen.push(headers)
    const parts: Buffer[] = []
    stream.on('data', (part: Buffer) => parts.push(part))
    stream.on('end', () => stream.end(Buffer.concat(parts)))
    stream.respond({ ':status': 200 })
  })
  const listener = net.createServer((connection) => void server.emit('connection', withPlainAuthority(connection)))
  await new Promise<void>((resolve) => void listener.listen(socket, resolve))
  const client = connect('http://localhost', { createConnection: () => net.connect(socket) })
  client.on('error', () => {})
  t.after(() => {
    client.destroy()
    listener.close()
    rmSync(folder, { recursive: true })
  })
  return { client, seen }
}

function ask(client: ClientHttp2Session, headers: Record<string, string | string[]>, body = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const stream = client.request({ ':method': 'POST', ':path': '/', ...headers })
    let text = ''
    stream.setEncoding('utf8')
    stream.on('data', (part) => {
      text += part
    })
    stream.on('end', () => resolve(text))
    stream.on('error', reject)
    stream.end(body)
  })
}

test('an authority that is the path of a socket is no reason to end a call; any other stays', async (t) => {
  const { client, seen } = await open(t)
  const authorities = ['/var/lib/kubelet/device-plugins/kubelet.sock', 'example.com:80', '[::1]', 'a b', 'localhost']
  for (const authority of authorities) assert.equal(await ask(client, { ':authority': authority }, 'x'.repeat(50_000)), 'x'.repeat(50_000))
  assert.deepEqual(
    seen.map((h) => h[':authority']),
    ['localhost', 'example.com:80', '[::1]', 'localhost', 'localhost'],
  )
})

test('all other headers come as they were sent, however they were packed', async (t) => {
  const { client, seen } = await open(t)
  const name = fc.stringMatching(/^x-[a-z0-9]{1,20}$/)
  const value = fc.stringMatching(/^[!-~]([ -~]{0,200}[!-~])?$/)
  await fc.assert(
    fc.asyncProperty(fc.dictionary(name, value, { maxKeys: 12, noNullPrototype: true }), async (headers) => {
      await ask(client, { ':authority': '/a/path', ...headers })
      const { ':method': _m, ':path': _p, ':scheme': _s, ':authority': authority, ...rest } = seen.at(-1) ?? {}
      assert.equal(authority, 'localhost')
      assert.deepEqual(Object.fromEntries(Object.entries(rest)), headers)
    }),
    { numRuns: 200 },
  )
})

test('bytes that are no headers end the connection and nothing else', () => {
  const frame = (type: number, flags: number, payload: Uint8Array, stream = 1) => {
    const head = Buffer.alloc(9)
    head.writeUIntBE(payload.length, 0, 3)
    head[3] = type
    head[4] = flags
    head.writeUInt32BE(stream, 5)
    return Buffer.concat([head, payload])
  }
  const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
  const push = (...frames: readonly Buffer[]) => new PlainAuthority().push(Buffer.concat([preface, ...frames]))
  assert.throws(() => push(frame(1, 4, Buffer.of(0xff, 0xff, 0xff, 0xff, 0xff, 0xff))), { name: 'HpackError' })
  assert.throws(() => push(frame(1, 4, Buffer.of(0xbf))), { message: 'there is no entry 63' })
  assert.throws(() => push(frame(1, 0, Buffer.of(0x82)), frame(0, 0, Buffer.of(1))), { message: 'headers that are interrupted' })
  assert.throws(() => push(frame(1, 12, Buffer.of(200))), { message: 'a frame that is all padding' })
  const endless = Array.from({ length: 10 }, () => frame(9, 0, Buffer.alloc(16_000)))
  assert.throws(() => push(frame(1, 0, Buffer.alloc(16_000)), ...endless), { message: /headers of more than/ })
  // One entry of the table, named again and again: a few bytes that stand for many.
  const entry = Buffer.concat([Buffer.of(0x40, 1, 0x61, 0x7f, 0x81, 0x1f), Buffer.alloc(4096 - 128, 0x62)])
  assert.throws(() => push(frame(1, 4, Buffer.concat([entry, Buffer.alloc(10_000, 0xbe)]))), { name: 'HpackError' })
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      try {
        new HpackDecoder().decode(bytes)
      } catch (error) {
        assert.equal((error as Error).name, 'HpackError')
      }
    }),
  )
})
