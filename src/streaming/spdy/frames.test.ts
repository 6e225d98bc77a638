import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { constants, createDeflate } from 'node:zlib'
import fc from 'fast-check'
import { createBytePipe } from '../../base/byte-pipe.ts'
import { SPDY_DICTIONARY } from './dictionary.ts'
import { controlFrame, dataHead, FLAG_FIN, FRAME, numbers, readFrames } from './frames.ts'
import { createHeaderCodec, type SpdyHeaders } from './header-block.ts'
import { createSpdySession } from './spdy-session.ts'

/** Cuts bytes at arbitrary offsets. */
async function* cut(bytes: Buffer, at: readonly number[]): AsyncGenerator<Uint8Array> {
  let from = 0
  for (const to of [...at.map((n) => n % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]) {
    yield bytes.subarray(from, to)
    from = to
  }
}

test('frames are the same wherever the connection cuts them', async () => {
  const data = fc.record({ stream: fc.integer({ min: 1, max: 999 }), fin: fc.boolean(), bytes: fc.uint8Array({ maxLength: 300 }) })
  const control = fc.record({
    type: fc.integer({ min: 1, max: 9 }),
    flags: fc.integer({ min: 0, max: 255 }),
    payload: fc.uint8Array({ maxLength: 100 }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(data, control), { maxLength: 12 }), fc.array(fc.nat(), { maxLength: 20 }), async (frames, cuts) => {
      const wire = Buffer.concat(
        frames.flatMap((f) =>
          'stream' in f ? [dataHead(f.stream, f.fin ? FLAG_FIN : 0, f.bytes.length), f.bytes] : [controlFrame(f.type, f.flags, f.payload)],
        ),
      )
      const seen: string[] = []
      let open = ''
      for await (const frame of readFrames(cut(wire, cuts))) {
        if (frame.kind === 'control') seen.push(`${frame.type} ${frame.flags} ${frame.payload.toString('hex')}`)
        else open += frame.bytes.toString('hex')
        if (frame.kind === 'data' && frame.fin) {
          seen.push(`data ${frame.stream} ${open} fin`)
          open = ''
        } else if (frame.kind === 'data' && frame.bytes.length === 0) continue
      }
      const wanted: string[] = []
      let held = ''
      for (const f of frames) {
        if (!('stream' in f)) wanted.push(`${f.type} ${f.flags} ${Buffer.from(f.payload).toString('hex')}`)
        else {
          held += Buffer.from(f.bytes).toString('hex')
          if (f.fin) {
            wanted.push(`data ${f.stream} ${held} fin`)
            held = ''
          }
        }
      }
      assert.deepEqual(seen, wanted)
    }),
  )
})

describe('header blocks', () => {
  test('of one session share their compression, and come back as they were', async () => {
    const header = fc.dictionary(fc.stringMatching(/^[a-z][a-z-]{0,20}$/), fc.string({ maxLength: 60 }), {
      maxKeys: 8,
      noNullPrototype: true,
    })
    await fc.assert(
      fc.asyncProperty(fc.array(header, { maxLength: 6 }), async (blocks) => {
        using codec = createHeaderCodec()
        for (const block of blocks) assert.deepEqual({ ...(await codec.decode(await codec.encode(block))) }, block)
      }),
    )
  })

  test('that unpack without end, or are invalid, are refused', async () => {
    using bombed = createHeaderCodec()
    const deflate = createDeflate({ dictionary: SPDY_DICTIONARY })
    const chunks: Buffer[] = []
    deflate.on('data', (chunk) => chunks.push(chunk))
    deflate.write(Buffer.alloc(10 * 1024 * 1024))
    await new Promise<void>((resolve) => deflate.flush(constants.Z_SYNC_FLUSH, () => resolve()))
    await assert.rejects(bombed.decode(Buffer.concat(chunks)), /unpacks to more than 65536 bytes/)
    using garbled = createHeaderCodec()
    await assert.rejects(garbled.decode(Buffer.from('no zlib at all')))
  })
})

describe('a session', () => {
  async function synStream(codec: ReturnType<typeof createHeaderCodec>, id: number, headers: SpdyHeaders, flags = 0) {
    return controlFrame(FRAME.synStream, flags, Buffer.concat([numbers(id, 0), Buffer.of(0, 0), await codec.encode(headers)]))
  }

  test('refuses streams beyond its limit and with decreasing ids, and continues', async () => {
    using codec = createHeaderCodec()
    const [there, back] = [createBytePipe(1 << 30), createBytePipe(1 << 30)]
    const session = createSpdySession({ source: there.source, sink: back.sink })
    for (let id = 1; id < 2 * 600; id += 2) await there.sink.write(await synStream(codec, id, { streamtype: 'data' }))
    await there.sink.write(await synStream(codec, 3, {}))
    await there.sink.end()
    let accepted = 0
    await session.run(() => accepted++)
    await back.sink.end()
    const resets: number[] = []
    for await (const frame of readFrames(back.source)) {
      if (frame.kind === 'control' && frame.type === FRAME.rstStream) resets.push(frame.payload.readUInt32BE(4))
    }
    assert.equal(accepted, 512)
    assert.equal(resets.length, 600 - 512 + 1)
  })

  test('that is not SPDY/3 is broken off with a reason', async () => {
    const [there, back] = [createBytePipe(), createBytePipe()]
    await there.sink.write(Buffer.from('\u0080GET / HTTP/1.1\r\n\r\n', 'latin1'))
    await assert.rejects(
      createSpdySession({ source: there.source, sink: back.sink }).run(() => {}),
      /no SPDY\/3 frame/,
    )
  })
})
