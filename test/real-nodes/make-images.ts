import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { packTar, type TarEntry } from 'modern-tar'
import { BUSYBOX } from './found-runtime.ts'

/** What runs when nothing else is said, and who it runs as. */
interface ImageConfig {
  readonly Entrypoint?: readonly string[]
  readonly Cmd?: readonly string[]
  readonly User?: string
}

export interface TestImage {
  readonly names: readonly string[]
  readonly config: ImageConfig
  /** Archives of its files (tar). Default: this machine's busybox alone. */
  readonly layers?: readonly Buffer[]
}

/** As the pause program: the process is called so, and does nothing. */
const PAUSE = 'exec -a sleep /pause infinity'
/** What stories need of `agnhost`. */
const AGNHOST = `#!/bin/sh
case "$1" in
  netexec) exec /bin/netexec "$@";;
  *) trap "exit 0" TERM INT; while :; do sleep 3600 & wait $!; done;;
esac
`
/** As the pause container of every pod. */
export const PAUSE_IMAGE = 'registry.k8s.io/pause:3.10.2'
export const BUSYBOX_IMAGE = 'registry.k8s.io/e2e-test-images/busybox:1.37.0-1'

const IMAGES: readonly TestImage[] = [
  { names: [PAUSE_IMAGE], config: { Entrypoint: ['/bin/sh', '-c', PAUSE] } },
  { names: [BUSYBOX_IMAGE, 'docker.io/library/busybox:latest'], config: { Cmd: ['sh'] } },
  {
    names: ['registry.k8s.io/e2e-test-images/agnhost:2.63.0', 'registry.k8s.io/e2e-test-images/agnhost:2.55'],
    config: { Entrypoint: ['/agnhost'], Cmd: ['pause'] },
  },
  { names: ['registry.k8s.io/e2e-test-images/nonroot:1.5'], config: { Cmd: ['sh'], User: '1234' } },
]

/** An archive of images, as `ctr images import` reads it; no registry is asked. */
export async function makeImages(images: readonly TestImage[] = IMAGES): Promise<Buffer> {
  const blobs = new Map<string, Buffer>()
  const put = (bytes: Buffer) => {
    const hex = createHash('sha256').update(bytes).digest('hex')
    blobs.set(hex, bytes)
    return { digest: `sha256:${hex}`, size: bytes.length }
  }
  const busybox = images.some(({ layers }) => layers === undefined) ? [await busyboxLayer()] : []
  const platform = { architecture: process.arch === 'x64' ? 'amd64' : process.arch, os: 'linux' }
  const manifests = images.flatMap(({ names, config, layers = busybox }) => {
    const Env = ['PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin']
    const files = layers.map(put)
    const rootfs = { type: 'layers', diff_ids: files.map(({ digest }) => digest) }
    const described = put(json({ ...platform, config: { Env, ...config }, rootfs, history: [{ created_by: names[0] }] }))
    const mediaType = 'application/vnd.oci.image.manifest.v1+json'
    const manifest = put(
      json({
        schemaVersion: 2,
        mediaType,
        config: { mediaType: 'application/vnd.oci.image.config.v1+json', ...described },
        layers: files.map((layer) => ({ mediaType: 'application/vnd.oci.image.layer.v1.tar', ...layer })),
      }),
    )
    return names.map((name) => ({ mediaType, ...manifest, platform, annotations: { 'io.containerd.image.name': name } }))
  })
  const index = json({ schemaVersion: 2, mediaType: 'application/vnd.oci.image.index.v1+json', manifests })
  return Buffer.from(
    await packTar([
      file('oci-layout', json({ imageLayoutVersion: '1.0.0' })),
      file('index.json', index),
      ...[...blobs].map(([hex, bytes]) => file(`blobs/sha256/${hex}`, bytes)),
    ]),
  )
}

const json = (value: unknown) => Buffer.from(JSON.stringify(value))

const ACCOUNTS =
  'root:x:0:0:root:/root:/bin/sh\ndaemon:x:1:1:daemon:/usr/sbin:/bin/false\nuser-defined-in-image:x:1000:1000::/home:/bin/sh\n'
const GROUPS = 'root:x:0:\ndaemon:x:1:\nuser-defined-in-image:x:1000:\ngroup-defined-in-image:x:50000:user-defined-in-image\n'

const folder = (name: string, mode = 0o755): TarEntry => ({ header: { name: `${name}/`, size: 0, mode, type: 'directory' } })
const file = (name: string, body: Buffer, mode = 0o644): TarEntry => ({ header: { name, size: body.length, mode, type: 'file' }, body })

const link = (name: string, linkname: string): TarEntry => ({ header: { name, size: 0, mode: 0o777, type: 'symlink', linkname } })

/** A layer of this machine's busybox, by the name of each of its tools. */
export async function busyboxLayer(): Promise<Buffer> {
  return Buffer.from(await packTar(busyboxFiles()))
}

export type LayerFile = { readonly body: Buffer | string; readonly mode?: number } | { readonly link: string }

/** A layer of files and symbolic links, by name. */
export async function layerOf(files: Readonly<Record<string, LayerFile>>): Promise<Buffer> {
  const entries = Object.entries(files).map(([name, one]) =>
    'link' in one ? link(name, one.link) : file(name, Buffer.from(one.body), one.mode),
  )
  return Buffer.from(await packTar(entries))
}

function busyboxFiles(): TarEntry[] {
  const tools = execFileSync(BUSYBOX, ['--list'], { encoding: 'utf8' }).trim().split('\n')
  const links = tools.filter((name) => name !== 'busybox').map((name) => link(`bin/${name}`, 'busybox'))
  return [
    ...['bin', 'etc', 'root', 'home', 'usr', 'usr/bin', 'var'].map((name) => folder(name)),
    folder('tmp', 0o1777),
    file('bin/busybox', readFileSync(BUSYBOX), 0o755),
    link('pause', 'bin/busybox'),
    file('agnhost', Buffer.from(AGNHOST), 0o755),
    ...links,
    file('bin/netexec', readFileSync(path.join(import.meta.dirname, 'netexec.sh')), 0o755),
    file('etc/passwd', Buffer.from(ACCOUNTS), 0o644),
    file('etc/group', Buffer.from(GROUPS), 0o644),
  ]
}
