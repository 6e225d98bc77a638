import { createHash } from 'node:crypto'
import { chmodSync, copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { type Artefact, run } from './artefact.ts'

const TYPES = {
  index: 'application/vnd.oci.image.index.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar+gzip',
} as const
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }
const USER = 1000
const HOME = '/home/node'
/** By which others reach published ports, beside localhost: Docker Desktop, a GitLab job's engine, the usual bridge. */
const HOSTS = 'host.docker.internal,docker,172.17.0.1'

/** One blob of the layout. */
interface Descriptor {
  readonly mediaType: string
  readonly digest: string
  readonly size: number
}

/**
 * An image as an OCI image layout, made without Docker, for this machine's processor. It holds Node, the libraries that Node is linked
 * with, and the package; nothing else: no shell, no package manager. `skopeo copy oci:FOLDER docker://…` publishes it; for Docker engines
 * that know no OCI layout, `manifest.json` makes the same files what `docker load` reads.
 */
export const ociImage: Artefact = ({ dist, version, repository, folder, work }) => {
  const blobs = path.join(folder, 'blobs', 'sha256')
  mkdirSync(blobs, { recursive: true })
  const architecture = ARCHITECTURES[process.arch] ?? process.arch
  const runtime = path.join(work, 'runtime')
  const program = path.join(work, 'program')
  putRuntime(runtime)
  putPackage(program, dist)
  const layers = [runtime, program].map((root) => layerOf(root, blobs))
  const config = putJson(blobs, TYPES.config, {
    architecture,
    os: 'linux',
    config: {
      User: `${USER}:${USER}`,
      Env: ['PATH=/usr/bin', `HOME=${HOME}`],
      Entrypoint: ['/usr/bin/bowsprit'],
      Cmd: ['up', '--ephemeral', '--address', '0.0.0.0', '--certificate-names', HOSTS, '--kubeconfig', `${HOME}/out/kubeconfig`],
      ExposedPorts: { '6443/tcp': {} },
      WorkingDir: HOME,
      Labels: { 'org.opencontainers.image.source': repository, 'org.opencontainers.image.version': version },
    },
    rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
  })
  const manifest = putJson(blobs, TYPES.manifest, {
    schemaVersion: 2,
    mediaType: TYPES.manifest,
    config,
    layers: layers.map(({ descriptor }) => descriptor),
  })
  const named = { ...manifest, annotations: { 'org.opencontainers.image.ref.name': version }, platform: { architecture, os: 'linux' } }
  writeFileSync(path.join(folder, 'index.json'), JSON.stringify({ schemaVersion: 2, mediaType: TYPES.index, manifests: [named] }))
  writeFileSync(path.join(folder, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }))
  const forDocker = { Config: blobPath(config), RepoTags: [`bowsprit:${version}`], Layers: layers.map((l) => blobPath(l.descriptor)) }
  writeFileSync(path.join(folder, 'manifest.json'), JSON.stringify([forDocker]))
}

/** Node, and what `ldd` says that it is linked with, under the same paths. */
function putRuntime(root: string): void {
  const node = process.execPath
  put(node, path.join(root, 'usr', 'bin', 'node'))
  for (const [, library = ''] of run('ldd', [node], '/').matchAll(/(\/\S+) \(0x/g)) put(library, path.join(root, library))
  mkdirSync(path.join(root, 'etc'), { recursive: true })
  writeFileSync(path.join(root, 'etc', 'passwd'), `root:x:0:0:root:/:/none\nnode:x:${USER}:${USER}::${HOME}:/none\n`)
  writeFileSync(path.join(root, 'etc', 'group'), `root:x:0:\nnode:x:${USER}:\n`)
  for (const [folder, mode] of [
    ['tmp', 0o1777],
    ['home/node/out', 0o755],
  ] as const) {
    mkdirSync(path.join(root, folder), { recursive: true })
    chmodSync(path.join(root, folder), mode)
  }
}

/** The package without its types, and the command. */
function putPackage(root: string, dist: string): void {
  const to = path.join(root, 'usr', 'lib', 'bowsprit')
  cpSync(dist, path.join(to, 'dist'), { recursive: true })
  rmSync(path.join(to, 'dist', 'types'), { recursive: true, force: true })
  writeFileSync(path.join(to, 'package.json'), '{ "type": "module" }\n')
  const command = path.join(root, 'usr', 'bin', 'bowsprit')
  mkdirSync(path.dirname(command), { recursive: true })
  // The kernel reads the interpreter of the first line: no shell is needed. `env -S` would be one more program.
  writeFileSync(command, `#!/usr/bin/node --disable-warning=ExperimentalWarning\nimport('/usr/lib/bowsprit/dist/bowsprit.js')\n`)
  chmodSync(command, 0o755)
}

function put(from: string, to: string): void {
  mkdirSync(path.dirname(to), { recursive: true })
  // Libraries are links: the file behind is copied.
  copyFileSync(from, to)
  chmodSync(to, 0o755)
}

/** A folder as a layer: the same files are the same bytes. */
function layerOf(root: string, blobs: string): { readonly diffId: string; readonly descriptor: Descriptor } {
  const tar = `${root}.tar`
  const owned = ['--sort=name', '--mtime=@0', '--numeric-owner', '--owner=0', '--group=0']
  // The home folder is the user's, whose files come last.
  const homes = readdirSync(root).includes('home') ? ['home'] : []
  run('tar', ['-cf', tar, ...owned, '-C', root, ...readdirSync(root).filter((name) => !homes.includes(name))], root)
  const homeOwned = ['--sort=name', '--mtime=@0', '--numeric-owner', `--owner=${USER}`, `--group=${USER}`]
  if (homes.length > 0) run('tar', ['-rf', tar, ...homeOwned, '-C', root, ...homes], root)
  const bytes = readFileSync(tar)
  const descriptor = putBlob(blobs, TYPES.layer, gzipSync(bytes, { level: 9 }))
  rmSync(tar)
  return { diffId: digestOf(bytes), descriptor }
}

const putJson = (blobs: string, mediaType: string, value: object) => putBlob(blobs, mediaType, Buffer.from(JSON.stringify(value)))

const blobPath = ({ digest }: Descriptor) => `blobs/${digest.replace(':', '/')}`

function putBlob(blobs: string, mediaType: string, bytes: Buffer): Descriptor {
  const digest = digestOf(bytes)
  const file = path.join(blobs, digest.replace('sha256:', ''))
  writeFileSync(file, bytes)
  return { mediaType, digest, size: statSync(file).size }
}

const digestOf = (bytes: Buffer) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`
