import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import fc from 'fast-check'
import { streamPort } from './stream-port.ts'

test('parcels come out as they went in, however the bytes between are cut', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 })), fc.integer({ min: 1, max: 9 }), async (parcels, cut) => {
      const [wire, cutWire] = [new PassThrough(), new PassThrough()]
      const heard: number[][] = []
      streamPort(cutWire).on('message', (parcel) => heard.push([...new Uint8Array(parcel)]))
      const port = streamPort(wire)
      for (const parcel of parcels) port.postMessage(parcel.slice().buffer, [])
      wire.end()
      for await (const chunk of wire) for (let at = 0; at < chunk.length; at += cut) cutWire.write(chunk.subarray(at, at + cut))
      await new Promise<void>((resolve) => cutWire.end(resolve))
      await new Promise(setImmediate)
      assert.deepEqual(
        heard,
        parcels.map((parcel) => [...parcel]),
      )
    }),
    { numRuns: 50 },
  )
})
