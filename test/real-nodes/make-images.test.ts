import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unpackTar } from 'modern-tar'
import { layerOf, makeImages } from './make-images.ts'

test('an image has the layers and the configuration that it was made of, under each of its names', async () => {
  const layer = await layerOf({ 'bin/euid': { body: 'program', mode: 0o6755 }, 'bin/id': { link: 'euid' } })
  const config = { Cmd: ['euid'], User: '1234' }
  const files = await unpackTar(await makeImages([{ names: ['a.test/one:1', 'a.test/two:2'], layers: [layer], config }]))
  const read = (name: string) => Buffer.from(files.find(({ header }) => header.name === name)?.data ?? []).toString()
  const blob = (digest: string) => read(`blobs/sha256/${digest.replace('sha256:', '')}`)
  const { manifests } = JSON.parse(read('index.json'))
  assert.deepEqual(
    manifests.map((m: { annotations: object }) => Object.values(m.annotations)),
    [['a.test/one:1'], ['a.test/two:2']],
  )
  assert.equal(manifests[0].digest, manifests[1].digest)
  const manifest = JSON.parse(blob(manifests[0].digest))
  const image = JSON.parse(blob(manifest.config.digest))
  assert.deepEqual({ Cmd: image.config.Cmd, User: image.config.User }, config)
  assert.deepEqual(
    image.rootfs.diff_ids,
    manifest.layers.map((l: { digest: string }) => l.digest),
  )
  const [program, link] = await unpackTar(Buffer.from(blob(manifest.layers[0].digest), 'latin1'))
  assert.equal(program?.header.mode, 0o6755)
  assert.equal(link?.header.linkname, 'euid')
})
